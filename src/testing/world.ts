import type { ApplicationEnv, Credentials, Instant, RemoteClock, RemoteControls, Seed } from '../emulator/index.js';
import { SallyportError } from '../errors/index.js';
import type { EventName } from '../service/event-names.js';
import type { EventOf } from '../service/events.js';
import { type SealingOptions, type SignedIn, type SignInAsOptions, signedIn } from './signed-in.js';

/** What a world is made with; every option is optional. */
export interface NewTestWorld extends SealingOptions {
  /** Label of the world in addresses for browsers, `http://<name>.localhost`: small letters, digits and hyphens; `w1`, `w2`, … when not given. */
  readonly name?: string | undefined;
  /** What it starts with; the emulator's own seed when not given, nothing when null. */
  readonly seed?: Seed | null | undefined;
  /** Time at which its clock stands until it is moved; like the emulator's own clock when not given. */
  readonly clock?: Instant | undefined;
  /** Where its users may be sent after they have signed in. */
  readonly redirectUris?: readonly string[] | undefined;
  /** Its API key, prefix `sk_`; random when not given. */
  readonly apiKey?: string | undefined;
  /** Its client id; random when not given. */
  readonly clientId?: string | undefined;
  /** Milliseconds without a request after which the emulator forgets it, should the test be killed; default ten minutes. */
  readonly idleMs?: number | undefined;
}

/** How long to wait for an event. */
export interface ExpectEventOptions {
  /** Milliseconds of real time, whatever the world's clock says; default 5000. */
  readonly timeoutMs?: number | undefined;
}

/** What the data of an event has to have; more may be there. */
export type EventMatch<Data> = { readonly [Name in keyof Data]?: Data[Name] | EventMatch<Data[Name]> };

/** The clock of a test world. */
export interface TestClock extends RemoteClock {
  /**
   * The time in milliseconds since 1970, for `now` of `createSessions`.
   *
   * @throws {ConfigurationError} The emulator runs elsewhere: call `read`.
   */
  now(): number;
}

/**
 * A world of a test: an environment of the emulator that nobody else uses. It has the controls of an emulator, each with a promise, whether
 * the emulator is in this process or elsewhere.
 */
export interface TestWorld extends Omit<RemoteControls, 'signInAs' | 'clock'> {
  /** The time of the world: everything in it expires, retries and is dated by this clock. */
  readonly clock: TestClock;
  /** Its label in addresses for browsers. */
  readonly name: string;
  /** Where browsers reach its pages. */
  readonly url: string;
  /** The options of the client: `new Sallyport({ ...world.credentials, fetch: world.fetch })`. */
  readonly credentials: Credentials;
  /** The variables with which an application uses the world. */
  readonly env: ApplicationEnv;
  /** Sends requests to the emulator, also to one in this process that listens nowhere. */
  readonly fetch: typeof fetch;
  /**
   * Sign a user in without a browser, as if they had proven everything that the sign-in asks for. Gives the session as cookies, as headers
   * and for Playwright, sealed as `createSessions` of the application seals it.
   *
   * @param user The user's id or email address, or an object with the id.
   * @example
   * const { headers } = await world.signInAs('ada@example.com', { organizationId: 'org_acme' });
   * const answer = await fetch('http://localhost:3000/api/me', { headers });
   *
   * @throws {Refusal} `entity_not_found` for an unknown user, `user_not_organization_member`, or `organization_selection_required`.
   */
  signInAs(user: string | { readonly id: string }, options?: SignInAsOptions): Promise<SignedIn>;
  /**
   * Wait for the next event of a type, there already or still to come, whose data has what `match` has. Each event is given once.
   *
   * @example
   * const { data } = await world.expectEvent('user.created', { email: 'ada@example.com' });
   *
   * @throws {Refusal} `no_event` when none has come in time; the message says what came instead.
   */
  expectEvent<Name extends EventName>(
    type: Name,
    match?: EventMatch<EventOf<Name>['data']>,
    options?: ExpectEventOptions,
  ): Promise<EventOf<Name>>;
  /**
   * Expect that no request reaches the service: while `act` runs, or, without it, since the world was made or `markRequests` was called.
   *
   * @throws {SallyportError} `unexpected_requests`, naming those that came.
   */
  expectNoRequests(act?: () => unknown): Promise<void>;
  /** Have `expectNoRequests` look no further back than to this moment. */
  markRequests(): Promise<void>;
  /** Forget the world and all that is in it. A fixture does so itself. */
  forget(): Promise<void>;
}

/** What the emulator says of a world that it has made. */
export interface MadeWorld {
  readonly name: string;
  readonly url: string;
  readonly credentials: Credentials;
  readonly env: ApplicationEnv;
}

/** What a world is made of. */
export interface WorldParts {
  readonly made: MadeWorld;
  readonly controls: RemoteControls;
  readonly now: () => number;
  readonly fetch: typeof fetch;
  readonly sealing: SealingOptions;
  readonly forget: () => Promise<void>;
}

/** A world of a test. */
export function testWorldOf({ made, controls, now, fetch, sealing, forget }: WorldParts): TestWorld {
  const { credentials, env } = made;
  let mark: string | undefined;
  const lastRequest = async () => (await controls.requests.list({ limit: 1 })).at(-1)?.id;
  const { signInAs, clock, ...others } = controls;
  return {
    ...others,
    ...made,
    clock: { ...clock, now },
    fetch,
    forget,
    async signInAs(user, { cookiePassword, cookie, dialect, ...options } = {}) {
      const session = await signInAs(typeof user === 'string' ? user : user.id, options);
      return signedIn(session, {
        ...credentials,
        redirectUri: env.SALLYPORT_REDIRECT_URI,
        cookiePassword: cookiePassword ?? sealing.cookiePassword ?? env.SALLYPORT_COOKIE_PASSWORD,
        cookie: cookie ?? sealing.cookie,
        dialect: dialect ?? sealing.dialect,
      });
    },
    async expectEvent<Name extends EventName>(
      type: Name,
      match?: EventMatch<EventOf<Name>['data']>,
      { timeoutMs }: ExpectEventOptions = {},
    ) {
      const event = await controls.events.waitFor({
        event: type,
        ...(match && { match: { ...match } }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      // The emulator gives the data that the type has.
      return event as unknown as EventOf<Name>;
    },
    async expectNoRequests(act) {
      const since = act ? await lastRequest() : mark;
      await act?.();
      const requests = await controls.requests.list(since === undefined ? {} : { after: since });
      if (requests.length === 0) return;
      const lines = requests.map(({ method, path, status }) => `${method} ${path} (${status})`);
      throw new SallyportError('unexpected_requests', {
        what: `${lines.length} ${lines.length === 1 ? 'request' : 'requests'} reached the service where none was expected: ${lines.join(', ')}`,
        next: 'Keep them from being made, or call markRequests after those that are meant to be',
      });
    },
    async markRequests() {
      mark = await lastRequest();
    },
  };
}
