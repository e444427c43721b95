/** The largest bundles a user's bundler may make, minified and gzipped, in bytes. Lower one whenever it can be lowered. */
export const budgets = {
  /**
   * The client before its first call, which loads ky and the descriptions of one room. Every error and its words are in it. Advice for
   * lasting failures and test environments is 0.6 KB, and refusing what JSON, a query or headers would lose in silence is 0.9 KB.
   */
  client: 25.9 * 1024,
  /** Everything loaded after the first call of one room, including this room and 9 KB of ky. */
  clientCalled: 35.75 * 1024,
  /** The same with all that is loaded at first use, in one file. */
  clientWithAll: 58.4 * 1024,
  /** Checking webhooks and nothing else. The hints at a mistake are 0.5 KB of it, and assigning the name of an error 0.04 KB. */
  webhooks: 2.04 * 1024,
  /** Receiving webhooks from any framework, each once. The hints are part of it. Options that are not in a plain
   * object are refused, here and in the browser, React and the stores: 0.07 KB. */
  webhooksReceived: 6.1 * 1024,
  /**
   * Reading sessions and nothing else; jose and iron-webcrypto alone are 3.9 KB of it. Refusing sessions that this process has ended is 0.15
   * KB. Taking the keys from a copy and reporting an outage of them once is 0.35 KB. The aim is 8.5 KB.
   */
  sessionReader: 13.65 * 1024,
  /**
   * Checking and refreshing sessions, and letting requests pass. The aim is 14 KB, including 5.2 KB of jose and iron-webcrypto. Code
   * that begins, ends or changes a session is loaded by the first request that needs it. Checking each value of the options that
   * decide about access is 0.8 KB, and rules for the addresses and mounts of a request are 0.8 KB. Keeping late responses from undoing a
   * sign-out or a switch is 0.4 KB, open pages without settings are 0.3 KB, and a page after forms and for strict cookies is 0.3 KB. Choosing
   * the public service is 0.1 KB, repeating a refresh without an answer 0.15 KB, and counting the bytes of any kind of body 0.1 KB.
   */
  session: 30.5 * 1024,
  /** The same with all that is loaded at first use. A sealed state and a cookie for each pending sign-in are 0.4 KB of it. */
  sessionWithAll: 41.5 * 1024,
  /** An application on Next, with its sessions. */
  next: 32.6 * 1024,
  /**
   * Signing in without a server. This includes 0.7 KB shared with sessions, such as every field of a user. Recognizing a rejection that asks
   * for a step of the sign-in by its pending token is 0.1 KB, and choosing the public service is 0.03 KB. Retrying a renewal without an answer,
   * by the schedule of sessions, is 0.35 KB, and finding the answer of a lost switch 0.15 KB.
   */
  browser: 8.1 * 1024,
  /** The same with the code that is loaded when a user signs in, in one file. */
  browserWithAll: 11.28 * 1024,
  /** The session of a server, for pages without React, with its access token. */
  serverSession: 3.25 * 1024,
  /** Following events, applying each once, queues and revocations, all of it. Short functions cost 0.5 KB of it. */
  streams: 22.1 * 1024,
  /**
   * A mirror before it runs: reading its tables, the tables themselves, and both kinds of databases. The stream is loaded by `run`, and the
   * comparison by `verify`.
   */
  mirror: 16 * 1024,
  /** The same with all that is loaded at first use, mostly the stream. */
  mirrorWithAll: 25.4 * 1024,
  /** Stores over memory, Redis and PostgreSQL. */
  stores: 3.95 * 1024,
  /** The provider, hooks and links of React, without React and without a client. The access token of a server's session is 1.5 KB of it. */
  react: 3.55 * 1024,
};

/**
 * The most that a program may have loaded when its first call is answered, where a bundler splits: the client, ky and what describes the
 * room, each file gzipped by itself.
 */
export const afterFirstCall = {
  /** By a room as large as most. */
  organizations: 37.2 * 1024,
  /** By the largest one: what an event holds may be any resource. Seventeen newer types of events are 0.1 KB. */
  anyRoom: 43.6 * 1024,
};

const session = "import * as session from 'sallyport/session';\nglobalThis.session = session;";
const client =
  "import { Sallyport } from 'sallyport';\nglobalThis.sallyport = new Sallyport({ clientId: 'client_42' });";

const mirror = "import { mirror } from 'sallyport/mirror';\nglobalThis.mirror = mirror;";

const browser = "import { createBrowserClient } from 'sallyport/browser';\nglobalThis.browser = createBrowserClient;";

/** A program of a user's for each budget. */
export const programs: Readonly<Record<keyof typeof budgets, string>> = {
  client,
  clientCalled: client,
  clientWithAll: client,
  webhooks: "import { verifyWebhook } from 'sallyport/webhooks';\nglobalThis.verify = verifyWebhook;",
  webhooksReceived: "import { receive } from 'sallyport/webhooks';\nglobalThis.receive = receive;",
  sessionReader: "import { createSessionReader } from 'sallyport/session';\nglobalThis.reader = createSessionReader;",
  session,
  sessionWithAll: session,
  next: "import { createSessions } from 'sallyport/session';\nimport { nextSessions } from 'sallyport/next';\nglobalThis.next = nextSessions(createSessions());",
  browser,
  browserWithAll: browser,
  serverSession: "import { createServerSession } from 'sallyport/browser';\nglobalThis.session = createServerSession;",
  streams: "import * as streams from 'sallyport/streams';\nglobalThis.streams = streams;",
  mirror: mirror,
  mirrorWithAll: mirror,
  stores: "import * as stores from 'sallyport/stores';\nglobalThis.stores = stores;",
  react: "import * as react from 'sallyport/react';\nglobalThis.react = react;",
};

/** Every file that is loaded at its first use. */
const everyPart = /./;

/** The files that the client loads for its other rooms, its sessions and webhooks, and many calls at once. */
const allButFirstCall =
  /\/(?:audit-logs|directory-sync|events|fga|others|sso|user-management|opened-session|in-turn|seals|deliveries|direct)(?:-\w+)?\.js$/;

/** What is loaded only where an option asks for it: `maxConcurrent` of the client, `refresh.store`, `limits` and hooks of sessions. */
const byOption = /\/(?:in-turn|key-copy|refresh-store|enforce-limits|signed-in-hook)(?:-\w+)?\.js$/;

/**
 * The files that sessions load if a session begins, ends or changes, if something is wrong,
 * or for a store. Checking and refreshing load none of them.
 */
const sessionParts = /\/(?:session-changes|problem-texts|key-copy|refresh-store|enforce-limits)(?:-\w+)?\.js$/;

/** The files that a page loads when a user signs in or comes back from there, or when the service refuses. */
const browserParts = /\/rare-pages(?:-\w+)?\.js$/;

/** The files that a mirror loads when it runs or is verified. */
const mirrorParts = /\/(?:writer|verify)(?:-\w+)?\.js$/;

/** The files that are left out when a program is measured. */
export const apartFrom: { readonly [Which in keyof typeof budgets]?: RegExp } = {
  client: everyPart,
  clientCalled: allButFirstCall,
  clientWithAll: byOption,
  sessionWithAll: byOption,
  sessionReader: sessionParts,
  session: sessionParts,
  next: sessionParts,
  browser: browserParts,
  mirror: mirrorParts,
};

/** Files that must not be part of an application. */
export const strangersIn = (files: readonly string[]): string[] =>
  files.filter((file) => /(?:^|\/)src\/(?:emulator|cli)\/|node_modules\/(?:zod|hono|@hono|yaml|ajv)\//.test(file));
