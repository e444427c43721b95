import type { AuthenticationResponse, Sallyport } from 'sallyport';
import type { Emulator, EmulatorOptions } from 'sallyport/emulator';
import { createSessions, type Sessions, type SessionsOptions } from 'sallyport/session';
import { imported, stage } from '../stage.js';
import { Jar } from './jar.js';

/** A cookie password. */
export const password = 'correct-horse-battery-staple-0001';

/** The email address and password that Ada signs in with. */
export const ada = { email: 'ada@example.com', password: 'analytical-engine' };

/** A user who has signed in at an emulator, and a browser with the session. */
export interface SignedIn {
  readonly emulator: Emulator;
  readonly sallyport: Sallyport;
  readonly tokens: AuthenticationResponse;
  readonly jar: Jar;
  /** Sessions of this service. Options override the default ones. */
  sessions(options?: Partial<SessionsOptions>): Sessions;
  /** The number of refresh tokens that were exchanged. */
  rotations(): number;
}

/** The emulator's fetch, with a change to requests for tokens. */
export type Tamper = (send: () => Promise<Response>, request: Request) => Promise<Response>;

/** A `fetch` that lets a test change requests for tokens, and no others. */
export const tampered =
  (emulator: Emulator, tamper: Tamper): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const send = () => emulator.fetch(request.clone());
    return request.url.endsWith('/user_management/authenticate') ? tamper(send, request) : send();
  };

/** Sessions in a separate process, which has its own `fetch`. */
export const replica = ({ emulator, sessions }: SignedIn, options?: Partial<SessionsOptions>): Sessions =>
  sessions({ fetch: tampered(emulator, (send) => send()), ...options });

/** The `fetch` of a separate process that reaches a service without its idempotency keys. */
export const forgetful = ({ emulator }: SignedIn): typeof fetch =>
  tampered(emulator, (_, request) => {
    request.headers.delete('idempotency-key');
    return emulator.fetch(request);
  });

/** Signs a user in at an emulator with a stopped clock. */
export async function signedIn(
  options: EmulatorOptions = {},
  sealing: Partial<SessionsOptions> = {},
): Promise<SignedIn> {
  const { emulator, sallyport } = await stage(options);
  const profile = { firstName: 'Ada', metadata: { favourite_colour: 'green' } };
  const user = { email: ada.email, ...imported(ada.password), emailVerified: true };
  await sallyport.userManagement.createUser({ ...user, ...profile });
  const tokens = await sallyport.userManagement.authenticateWithPassword(ada);
  const sessions = (more: Partial<SessionsOptions> = {}) =>
    createSessions({
      ...emulator.credentials,
      cookiePassword: password,
      fetch: emulator.fetch,
      now: () => emulator.clock.now(),
      ...more,
    });
  const jar = new Jar();
  jar.keep(await sessions(sealing).create(tokens));
  const rotations = () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;
  return { emulator, sallyport, tokens, jar, sessions, rotations };
}
