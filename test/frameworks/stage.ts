import type { Browser } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { type AuthenticationResponse, createSessions } from 'sallyport/session';
import { onTestFinished } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { Jar } from '../session/jar.js';
import { application, scriptsOf } from './application.js';
import { Client } from './client.js';
import type { Framework } from './frameworks.js';
import { type Person, password, seed } from './people.js';
import { listedRules } from './protected-files.js';
import { start } from './scripts.js';
import { Visitor } from './visitor.js';

/** The password of the cookies. */
const cookiePassword = 'a password of more than 32 characters';

/** The application, its service and a browser, which the tests of a framework share. */
export interface Stage {
  readonly framework: Framework;
  readonly emulator: Emulator;
  readonly sallyport: Sallyport;
  readonly browser: Browser;
  /** The URL of the application, with a slash at the end. */
  readonly home: string;
  /** The URL of the application with rules that list each protected path, instead of all but a list. */
  readonly listedHome: string;
  /** Creates a user for one test, as a planner in Northwind or with these roles by organization. */
  person(roles?: Readonly<Record<string, string>>): Promise<Person>;
  /**
   * The cookies of a session that began this many minutes ago; after five minutes its access token has expired. They are sealed here,
   * as in the application, with tokens that the service issued while its clock was set back: the application uses the real time and
   * would refuse such tokens, and waiting for tokens to expire would make the tests slow.
   */
  cookiesOf(person: Person, minutesAgo?: number): Promise<Jar>;
  /** The access token of such a session, as a header. */
  tokenOf(person: Person, minutesAgo?: number): Promise<{ readonly authorization: string }>;
  /** Gives a user a role in an organization, and adds the membership if necessary. */
  joins(person: Person, organizationId: string, roleSlug: string): Promise<void>;
  /** Opens a tab in a new browser, without cookies or with these. */
  visitor(jar?: Jar): Promise<Visitor>;
  /** A program that sends the same requests as browsers that open a page. */
  client(jar?: Jar): Client;
  /** The number of refresh token exchanges so far. */
  refreshes(): number;
  close(): Promise<void>;
}

/** Builds and starts the application, and everything that it needs. */
export async function openStage(framework: Framework): Promise<Stage> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closers.reverse()) await one();
  };
  try {
    const folder = await application(framework);
    const emulator = await createEmulator({ dialect: 'workos', seed });
    closers.push(() => emulator.close());
    await emulator.listen(0);
    const { apiKey, clientId, baseUrl } = emulator.credentials;
    const serve = async (variables: Readonly<Record<string, string>>): Promise<string> => {
      const script = scriptsOf(folder)[framework.scripts?.start ?? 'start'] ?? '';
      const server = await start(framework, folder, script, async (home) => {
        const { basePath = '' } = framework;
        const callback = `${home}${basePath}callback`;
        await emulator.addRedirectUri(callback);
        await emulator.addRedirectUri(home + basePath.slice(0, -1));
        return {
          SALLYPORT_BASE_URL: baseUrl,
          SALLYPORT_DIALECT: 'workos',
          SALLYPORT_CLIENT_ID: clientId,
          SALLYPORT_API_KEY: apiKey,
          SALLYPORT_COOKIE_PASSWORD: cookiePassword,
          SALLYPORT_REDIRECT_URI: callback,
          ...variables,
        };
      });
      closers.push(server.close);
      return server.home;
    };
    const home = await serve({});
    const { hasVariables = true, suite } = framework;
    const listedHome = hasVariables && suite !== 'single-page' ? await serve({ [listedRules]: 'yes' }) : home;
    const browser = await launchChromium();
    closers.push(() => browser.close());
    return { ...actors(emulator, browser, home), framework, emulator, browser, home, listedHome, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function actors(emulator: Emulator, browser: Browser, home: string) {
  const sallyport = new Sallyport({ ...emulator.credentials });
  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword,
    redirectUri: `${home}callback`,
  });
  let people = 0;
  const tokensOf = async ({ email }: Person, minutesAgo = 0): Promise<AuthenticationResponse> => {
    await emulator.clock.set(Date.now() - minutesAgo * 60_000);
    const tokens = await sallyport.userManagement.authenticateWithPassword({ email, password });
    await emulator.clock.reset();
    return tokens;
  };
  const joins = async ({ id: userId }: Person, organizationId: string, roleSlug: string): Promise<void> => {
    const { data } = await sallyport.userManagement.listOrganizationMemberships({ userId, organizationId });
    if (data[0]) await sallyport.userManagement.updateOrganizationMembership(data[0].id, { roleSlug });
    else await sallyport.userManagement.createOrganizationMembership({ userId, organizationId, roleSlug });
  };
  return {
    sallyport,
    joins,
    async person(roles: Readonly<Record<string, string>> = { org_northwind: 'planner' }): Promise<Person> {
      const email = `person-${++people}@northwind.test`;
      const { id } = await sallyport.userManagement.createUser({ email, password, emailVerified: true });
      for (const [organizationId, role] of Object.entries(roles)) await joins({ id, email }, organizationId, role);
      return { id, email };
    },
    async cookiesOf(person: Person, minutesAgo?: number): Promise<Jar> {
      const jar = new Jar();
      jar.keep(await sessions.create(await tokensOf(person, minutesAgo)));
      return jar;
    },
    async tokenOf(person: Person, minutesAgo?: number) {
      const { accessToken } = await tokensOf(person, minutesAgo);
      return { authorization: `Bearer ${accessToken}` };
    },
    async visitor(jar = new Jar()): Promise<Visitor> {
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      const tab = await Visitor.in(context, home);
      if (jar.names.length > 0) await tab.gets(jar);
      return tab;
    },
    client: (jar = new Jar()) => new Client(home, jar),
    refreshes: () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0,
  };
}
