import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { application, scriptsOf } from './application.js';
import { frameworks, needsOf } from './frameworks.js';
import { type Server, start } from './scripts.js';
import { openStage, type Stage } from './stage.js';
import { suiteOf } from './suite.js';
import { Visitor } from './visitor.js';

const { react } = frameworks;
const needs = needsOf(react);

requires(...needs)('the React application without a server', suiteOf(react));

requires(...needs)('the React application in development', () => {
  /** Its API, started with `npm start`. */
  let stage: Stage;
  /** Its page, started with `npm run dev`. */
  let page: Server;

  beforeAll(async () => {
    stage = await openStage(react);
    const { emulator, home } = stage;
    const folder = await application(react);
    page = await start(react, folder, `${scriptsOf(folder).dev} --strictPort --port $PAGE_PORT`, async (own) => {
      await emulator.addRedirectUri(`${own}callback`);
      return { PAGE_PORT: new URL(own).port, PORT: new URL(home).port, NODE_ENV: 'development' };
    });
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await stage?.close();
  });

  test('starts one sign-in and redeems the code once, although strict mode runs every effect twice', async () => {
    const { emulator, browser, person } = stage;
    const ada = await person();
    const context = await browser.newContext();
    const tab = await Visitor.in(context, page.home);
    const begun: string[] = [];
    tab.page.on('request', (request) => {
      if (request.url().startsWith(`${emulator.url}/user_management/authorize`)) begun.push(request.method());
    });

    await tab.opens('/account?from=mail');
    await tab.signsInAs(ada);

    await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    expect(begun).toEqual(['GET']);
    expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
    await tab.presses('Call the API');
    await tab.page.locator('output').getByText(ada.id).waitFor();
    expect(tab.complaints).toEqual([]);
    await context.close();
  }, 60_000);
});
