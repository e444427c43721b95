import type {
  ApplicationEnv,
  Credentials,
  Instant,
  RemoteClock,
  RemoteControls,
  Seed,
  WorldCreation,
} from '../emulator/index.js';
import { SallyportError } from '../errors/index.js';
import { checkArgumentNames } from '../errors/known-options.js';
import type { EventName } from '../service/events/names.js';
import type { EventOf } from '../service/events.js';
import { type SealingOptions, type SignedIn, type SignInAsOptions, signedIn } from './signed-in.js';

/** Options of a new world. All are optional. */
export interface NewTestWorld extends SealingOptions, Omit<WorldCreation, 'seed' | 'clock' | 'idleMs'> {
  /** Initial data. Default: the seed of the emulator. `null` starts empty. */
  readonly seed?: Seed | null | undefined;
  /** Start time of the clock, which then only moves when a test advances it. Default: the clock setting of the emulator. */
  readonly clock?: Instant | undefined;
  /**
   * Milliseconds without a request after which the emulator forgets the world, for example because the test was killed. Default:
   * ten minutes.
   */
  readonly idleMs?: number | undefined;
}

/** Options of `expectEvent`. */
export interface ExpectEventOptions {
  /** Milliseconds of real time, independent of the world's clock. Default: 5000. */
  readonly timeoutMs?: number | undefined;
}

/** Fields that the data of an event must have. Other fields are ignored. */
export type EventMatch<Data> = { readonly [Name in keyof Data]?: Data[Name] | EventMatch<Data[Name]> };

/** The clock of a test world. */
export interface TestClock extends RemoteClock {
  /**
   * Get the time in milliseconds since 1970, for the `now` option of `createSessions`.
   *
   * @throws {ConfigurationError} The emulator runs elsewhere: call `read`.
   */
  now(): number;
}

/**
 * An isolated environment of the emulator for a test. It has the controls of an emulator. All of them return promises, even if the
 * emulator runs in this process.
 */
export interface TestWorld extends Omit<RemoteControls, 'signInAs' | 'clock'> {
  /** The clock of the world. All timestamps, expiries and retries use it. */
  readonly clock: TestClock;
  /** Name of the world, and its subdomain for browsers. */
  readonly name: string;
  /** URL of its pages for browsers and `world.fetch`. */
  readonly url: string;
  /** Options for the client: `new Sallyport({ ...world.credentials, fetch: world.fetch })`. */
  readonly credentials: Credentials;
  /** Environment variables for an application that uses the world. */
  readonly env: ApplicationEnv;
  /**
   * Sends requests to the emulator, even if it runs in this process without listening on a port. Opens the pages of the world too, such as
   * the link in a message: `fetch` alone does not find names below `localhost`.
   */
  readonly fetch: typeof fetch;
  /**
   * Sign a user in without a browser, as if they had completed every step of the sign-in. Returns the session as cookies, as
   * headers and for Playwright. It is sealed as the application's `createSessions` would seal it.
   *
   * @param user The user's id or email address, or an object with the id.
   * @example
   * const { headers } = await world.signInAs('ada@example.com', { organizationId: 'org_acme' });
   * const answer = await fetch('http://localhost:3000/api/me', { headers });
   *
   * @throws {EmulatorRefusal} The code is `entity_not_found` for an unknown user, `user_not_organization_member` or
   * `organization_selection_required`.
   */
  signInAs(user: string | { readonly id: string }, options?: SignInAsOptions): Promise<SignedIn>;
  /**
   * Wait for an event of a type whose data matches `match`. It may already have happened. Each event is returned once.
   *
   * @example
   * const { data } = await world.expectEvent('user.created', { email: 'ada@example.com' });
   *
   * @throws {EmulatorRefusal} `no_event` if no such event happened in time. The message lists the events that did happen.
   */
  expectEvent<Name extends EventName>(
    type: Name,
    match?: EventMatch<EventOf<Name>['data']>,
    options?: ExpectEventOptions,
  ): Promise<EventOf<Name>>;
  /**
   * Check that no request reaches the service while `act` runs. Without `act`, check that none did since the world was created or
   * `markRequests` was called.
   *
   * @throws {SallyportError} `unexpected_requests`, with the list of requests.
   */
  expectNoRequests(act?: () => unknown): Promise<void>;
  /** Make `expectNoRequests` ignore all requests so far. */
  markRequests(): Promise<void>;
  /** Delete the world and its data. Fixtures and hooks do this automatically. */
  forget(): Promise<void>;
}

/** A new world, as the emulator describes it. */
export interface WorldDescription {
  readonly name: string;
  readonly url: string;
  readonly credentials: Credentials;
  readonly env: ApplicationEnv;
}

/** The parts of a test world. */
export interface TestWorldParts {
  readonly made: WorldDescription;
  readonly controls: RemoteControls;
  readonly now: () => number;
  readonly fetch: typeof fetch;
  readonly sealing: SealingOptions;
  readonly forget: () => Promise<void>;
}

/** Assemble a test world. */
export function testWorldOf({ made, controls, now, fetch, sealing, forget }: TestWorldParts): TestWorld {
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
        dialect: dialect ?? sealing.dialect ?? credentials.dialect,
      });
    },
    async expectEvent<Name extends EventName>(
      type: Name,
      match?: EventMatch<EventOf<Name>['data']>,
      options: ExpectEventOptions = {},
    ) {
      checkArgumentNames('expectEvent', options, { timeoutMs: 1 });
      const { timeoutMs } = options;
      const event = await controls.events.waitFor({
        event: type,
        ...(match && { match: { ...match } }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      // The type of an event determines the type of its data.
      return event as unknown as EventOf<Name>;
    },
    async expectNoRequests(act) {
      const since = act ? await lastRequest() : mark;
      await act?.();
      const requests = await controls.requests.list(since === undefined ? {} : { after: since });
      if (requests.length === 0) return;
      const lines = requests.map(({ method, path, status }) => `${method} ${path} (${status})`);
      throw new SallyportError('unexpected_requests', {
        what: `${lines.length} ${lines.length === 1 ? 'request' : 'requests'} reached the service, but none was expected: ${lines.join(', ')}`,
        next: 'Prevent these requests, or call markRequests after the intended ones',
      });
    },
    async markRequests() {
      mark = await lastRequest();
    },
  };
}
