import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createSessions } from 'sallyport/session';
import { expect, test } from 'vitest';
import { stage } from '../stage.js';

// The stack of an error of sessions leads to the line of this file that called them.

const file = fileURLToPath(import.meta.url);
const lines = readFileSync(file, 'utf8').split('\n');
const password = 'correct horse battery staple and more';

/** Return the first line of this file in the stack of the thrown error. */
async function lineOf(doing: () => Promise<unknown>): Promise<string | undefined> {
  const error = await doing().then(
    () => new Error('nothing was thrown'),
    (thrown: Error) => thrown,
  );
  const [, line] = new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`).exec(error.stack!) ?? [];
  return line === undefined ? `none in ${error.stack}` : lines[Number(line) - 1];
}

const { emulator, sallyport } = await stage();
const { clientId, baseUrl } = emulator.credentials;
const sessions = createSessions({ cookiePassword: password, clientId, baseUrl, fetch: emulator.fetch });
const { userManagement } = sallyport;
const cookie = (cookiePassword: string) => userManagement.loadSealedSession({ sessionData: 'x', cookiePassword });
const request = { headers: new Headers(), url: 'https://app.acme.test/sign-in', method: 'GET' };
const bloated = { user: { id: 'user_01', note: 'x'.repeat(200_000) }, accessToken: 'a', refreshToken: 'r' } as never;

test.each<[string, () => Promise<unknown>]>([
  ['a missing request', async () => void (await sessions.handle(undefined as never)) /* here */],
  ['a session that is too large for cookies', async () => void (await sessions.create(bloated)) /* here */],
  ['a sign-in without a redirect URI', async () => void (await sessions.startSignIn(request)) /* here */],
  ['an authentication with a short password', async () => void (await cookie('short').authenticate()) /* here */],
  ['a refresh with a short password', async () => void (await cookie('short').refresh()) /* here */],
  ['a sign-out with an unreadable cookie', async () => void (await cookie(password).getLogoutUrl()) /* here */],
  ['a seal with a short password', async () => void (await userManagement.sealData(1, { password: 'a' })) /* here */],
])('the stack trace of an error caused by %s points to the caller', async (_, doing) => {
  expect(await lineOf(doing)).toContain('/* here */');
});
