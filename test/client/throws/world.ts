import { TOTP } from 'otpauth';
import { type FlowError, HOSTED_LOGIN, Sallyport } from 'sallyport';
import { createEmulator, type EmulatorOptions } from 'sallyport/emulator';
import { onTestFinished } from 'vitest';
import { failureOf } from '../../servers/server.js';

/** An error that a method's comment promises, and how to get it. */
export interface Row {
  /** Method and class of the error, as in the comment: `mfa.getFactor NotFoundError`. */
  readonly claim: string;
  /** What provokes it. */
  readonly when: string;
  /** The service's own code, or the error's where nothing was sent. */
  readonly code: string;
  readonly provoke: (world: World) => unknown;
  readonly options?: EmulatorOptions | undefined;
}

/** Rows for the methods of one room of the client. */
export const rowsOf =
  (room: string) =>
  (
    method: string,
    error: string,
    when: string,
    code: string,
    provoke: Row['provoke'],
    options?: EmulatorOptions,
  ): Row => ({ claim: `${room}.${method} ${error}`, when, code, provoke, options });

export const email = 'ada@acme.test';
export const password = 'a lantern on the mole';
export const redirectUri = 'http://localhost:3000/callback';
export const cookiePassword = 'a password of more than 32 characters';

/** A wrong code that differs from the right one. */
export const not = (code: string): string => (code === '000000' ? '111111' : '000000');

export type World = Awaited<ReturnType<typeof world>>;

/** An emulator that approves authorization URLs at once, a client of it, and what people do. */
export async function world(options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: '2026-05-04T08:00:00.000Z', autoApprove: true, ...options });
  onTestFinished(() => emulator.close());
  const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const { userManagement, organizations } = client;

  /** A user with a password and a verified address. */
  const user = (more: object = {}) => userManagement.createUser({ email, password, emailVerified: true, ...more });
  const signIn = () => userManagement.authenticateWithPassword({ email, password });
  /** An organization that owns acme.test, with one connection. */
  const owner = async () => {
    const acme = await organizations.createOrganization({
      name: 'Acme',
      domainData: [{ domain: 'acme.test', state: 'verified' }],
    });
    const connection = await emulator.createConnection({
      organizationId: acme.id,
      connectionType: 'OktaSAML',
      name: 'Acme Okta',
    });
    return { ...acme, connection };
  };
  /** The user joins two organizations more. */
  const joinTwo = async (userId: string): Promise<string[]> => {
    const ids: string[] = [];
    for (const name of ['Bolt', 'Crane']) {
      const { id: organizationId } = await organizations.createOrganization({ name });
      await userManagement.createOrganizationMembership({ userId, organizationId });
      ids.push(organizationId);
    }
    return ids;
  };
  /** The pending token of a sign-in that has another step. */
  const pendingOf = async (call: PromiseLike<unknown>) =>
    // Every step that the tests take here has one.
    ((await failureOf(call)) as FlowError & { pendingAuthenticationToken: string }).pendingAuthenticationToken;
  /** The code in the redirect back to the application. */
  const codeAt = async (url: string): Promise<string> => {
    const { headers } = await emulator.fetch(url, { redirect: 'manual' });
    return new URL(headers.get('location') ?? 'http://nowhere.test').searchParams.get('code') ?? 'none';
  };
  const hostedCode = (more: object = {}) =>
    codeAt(userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri, loginHint: email, ...more }));
  const mailed = (to = email): string => emulator.inbox.latest(to)?.code ?? '';
  /** An authenticator app for the user, and what it shows. */
  const enroll = async (userId: string) => {
    const { authenticationFactor, authenticationChallenge } = await userManagement.enrollAuthFactor({
      userId,
      type: 'totp',
    });
    const app = new TOTP({ secret: authenticationFactor.totp?.secret ?? '' });
    return {
      factorId: authenticationFactor.id,
      challengeId: authenticationChallenge.id,
      code: () => app.generate({ timestamp: emulator.clock.now() }),
    };
  };
  return { emulator, ...client, client, user, signIn, owner, joinTwo, pendingOf, codeAt, hostedCode, mailed, enroll };
}
