import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { hosted } from './hosted-browser.js';

/** Returns the name of the application on the sign-in page. */
async function shownName(options: Parameters<typeof hosted>[0]) {
  const { browser, authorize } = await hosted(options);
  await authorize();
  return /to continue to (.*?) Email address/.exec(browser.text)?.[1];
}

describe("the application's name", () => {
  test.each([
    ['the host of the redirect URI by default', {}, 'localhost:3000'],
    ['the value of the applicationName option', { applicationName: 'Acme & Sons' }, 'Acme & Sons'],
    ['the value of application_name in the seed', { seed: { application_name: 'Acme' } }, 'Acme'],
    [
      'the value of the applicationName option, even if the seed has a name',
      { applicationName: 'Mine', seed: { application_name: 'Acme' } },
      'Mine',
    ],
  ])('on the sign-in page is %s', async (_what, options, name) => {
    expect(await shownName(options)).toBe(name);
  });

  test("is shown on the provider's page and on the page about a finished sign-in", async () => {
    const { browser, authorize } = await hosted({ applicationName: 'Acme' });
    await authorize();
    const signIn = browser.copy();

    await browser.press('Continue with Google');
    const asked = browser.text;
    await browser.press('Agree and continue', { email: 'grace@example.com' });
    await signIn.open(signIn.url);

    expect(asked).toContain('Acme asks for your name and email address');
    expect(signIn.text).toContain('Go to Acme');
  });

  test('survives a reset, and can differ between environments', async () => {
    const visit = await hosted({
      seed: { application_name: 'Acme' },
      production: { seed: { application_name: 'Live' } },
    });

    await visit.emulator.reset();
    await visit.authorize();
    const staging = visit.browser.text;
    await visit.emulator.production.addRedirectUri('https://app.acme.test/callback');
    await visit.authorize({
      client_id: visit.emulator.production.credentials.clientId,
      redirect_uri: 'https://app.acme.test/callback',
    });

    expect(staging).toContain('to continue to Acme');
    expect(visit.browser.text).toContain('to continue to Live');
  });

  test.each(['', ' '])('cannot be the blank string %j in a seed', async (name) => {
    await expect(createEmulator({ seed: { application_name: name } })).rejects.toThrow(
      'application_name must be a name, such as Acme',
    );
  });
});
