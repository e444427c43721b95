import type { Sallyport } from 'sallyport';
import type { Emulator, EmulatorOptions } from 'sallyport/emulator';
import { createSessions, type Sessions, type SessionsOptions, type StartSignInOptions } from 'sallyport/session';
import { expect } from 'vitest';
import { stage } from '../stage.js';
import { Jar } from './jar.js';
import { password, type Tamper, tampered } from './signed-in.js';

/** Address that users return to. */
export const callback = 'http://localhost:3000/callback';

/** An application with one browser, and an emulator with a stopped clock that signs in the user of `loginHint`. */
export interface Application {
  readonly emulator: Emulator;
  readonly sallyport: Sallyport;
  readonly sessions: Sessions;
  readonly browser: Jar;
  /** Begins a sign-in in the browser. Returns the authorization URL. */
  start(options?: StartSignInOptions): Promise<string>;
  /** Signs the user in at the service. Returns the address of the application that the browser is redirected to. */
  approve(location: string): Promise<string>;
  /** Opens that address in the browser. */
  finish(url: string): ReturnType<Sessions['finishSignIn']>;
  /** Signs the user in with all steps. */
  signIn(options?: StartSignInOptions): ReturnType<Sessions['finishSignIn']>;
  /** Changes how requests that redeem a code are answered from now on. */
  tamper(tamper: Tamper | undefined): void;
}

/** Makes an application. */
export async function application(
  options: EmulatorOptions = {},
  sealing: Partial<SessionsOptions> = {},
): Promise<Application> {
  const { emulator, sallyport } = await stage({ autoApprove: true, ...options });
  let tamper: Tamper | undefined;
  const fetch = tampered(emulator, (send, request) => (tamper ? tamper(send, request) : send()));
  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword: password,
    redirectUri: callback,
    now: () => emulator.clock.now(),
    fetch,
    ...sealing,
  });
  const browser = new Jar();

  const start = async (chosen?: StartSignInOptions): Promise<string> => {
    const started = await sessions.startSignIn(
      { headers: browser.headers },
      { loginHint: 'ada@example.com', ...chosen },
    );
    if (started.status !== 'redirect') throw new Error(`not started: ${started.status}`);
    browser.keep(started.headers);
    return started.location;
  };
  const approve = async (location: string): Promise<string> => {
    const response = await emulator.fetch(location, { redirect: 'manual' });
    const back = response.headers.get('location') ?? '';
    expect(back).toContain(`${callback}?`);
    return back;
  };
  const finish: Application['finish'] = async (url) => {
    const finished = await sessions.finishSignIn({ url, headers: browser.headers });
    browser.keep(finished.headers);
    return finished;
  };
  return {
    emulator,
    sallyport,
    sessions,
    browser,
    start,
    approve,
    finish,
    signIn: async (chosen) => finish(await approve(await start(chosen))),
    tamper: (next) => {
      tamper = next;
    },
  };
}
