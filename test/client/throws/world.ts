import { TOTP } from 'otpauth';
import { type FlowError, HOSTED_LOGIN } from 'sallyport';
import type { EmulatorOptions } from 'sallyport/emulator';
import { failureOf } from '../../servers/server.js';
import { stage } from '../../stage.js';

/** An error that a method's comment promises, and a way to provoke it. */
export interface Row {
  /** Method and class of the error, as in the comment: `mfa.getFactor NotFoundError`. */
  readonly claim: string;
  readonly title: string;
  /** The code of the service, or of the error if nothing was sent. */
  readonly code: string;
  readonly provoke: (world: World) => unknown;
  readonly options?: EmulatorOptions | undefined;
}

/** Functions that provoke an error, by method, class and code: `getFactor NotFoundError entity_not_found (a note)`. */
export type Provocations = Readonly<Record<string, Row['provoke']>>;

/** Rows for the methods of one room of the client. With an empty room, rows for the exports of the entries. */
export const rowsOf = (room: string, provocations: Provocations, options?: EmulatorOptions): Row[] =>
  Object.entries(provocations).map(([name, provoke]) => {
    const [method = '', error = '', code = ''] = name.split(' ');
    const prefix = room && `${room}.`;
    const note = /\((.+)\)$/.exec(name)?.[1];
    const title = `${prefix}${method}() can throw the documented ${error} (${code}${note ? `, ${note}` : ''})`;
    return { title, claim: `${prefix}${method} ${error}`, code, provoke, options };
  });

// Users of the company that most rows begin with. Ada is a member of Northwind and Tailspin, Bruno of Northwind alone.
export const ada = { email: 'ada@northwind.test', password: 'correct horse battery staple' };
export const bruno = { email: 'bruno@northwind.test', password: 'a quiet harbour at dawn' };

export const redirectUri = 'http://localhost:3000/callback';
export const cookiePassword = 'a password of more than 32 characters';

export type World = Awaited<ReturnType<typeof createWorld>>;

/** An emulator that approves authorization URLs at once, a client of it, and the actions of its users. */
export async function createWorld(options: EmulatorOptions = {}) {
  const { emulator, sallyport: client } = await stage({ autoApprove: true, ...options });
  const { userManagement } = client;

  const signIn = (user = bruno) => userManagement.authenticateWithPassword(user);
  /** The pending token of a sign-in with another step. */
  const pendingOf = async (call: PromiseLike<unknown>) =>
    // Every step of these tests has one.
    ((await failureOf(call)) as FlowError & { pendingAuthenticationToken: string }).pendingAuthenticationToken;
  /** The code in the redirect back to the application, after Bruno has signed in. */
  const code = async (way: { readonly provider: string } | { readonly connectionId: string }) => {
    const url = userManagement.getAuthorizationUrl({ ...way, redirectUri, loginHint: bruno.email });
    const { headers } = await emulator.fetch(url, { redirect: 'manual' });
    return new URL(headers.get('location') ?? 'http://nowhere.test').searchParams.get('code') ?? 'none';
  };
  const hostedCode = () => code({ provider: HOSTED_LOGIN });
  const mailed = (to = bruno.email): string => emulator.inbox.latest(to)?.code ?? '';
  /** An authenticator app for Bruno, and its current code. */
  const enroll = async () => {
    const { authenticationFactor } = await userManagement.enrollAuthFactor({
      userId: 'user_bruno',
      type: 'totp',
    });
    const app = new TOTP({ secret: authenticationFactor.totp?.secret ?? '' });
    return {
      factorId: authenticationFactor.id,
      code: () => app.generate({ timestamp: emulator.clock.now() }),
    };
  };
  return { emulator, ...client, client, signIn, pendingOf, code, hostedCode, mailed, enroll };
}
