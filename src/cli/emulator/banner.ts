import type { Emulator } from '../../emulator/index.js';
import { version } from '../../version.js';
import { pc } from '../colours.js';
import { printable } from '../printable.js';
import { stateAfterExit, stateLine } from './state-texts.js';

/** Details of the seed to show in the banner. */
interface BannerParts {
  /** The seed file as the user named it. */
  readonly seed: string | undefined;
  /** Printable lines about the users who can sign in. */
  readonly users: readonly string[];
}

/** Build the startup banner of `sallyport emulator`: its addresses, users who can sign in, and environment variables to set. */
export function banner(
  { url, credentials, production, adminKey, env, state }: Emulator,
  { seed, users }: BannerParts,
): string {
  const line = (name: string, value: string): string => `  ${pc.dim(name.padEnd(10))} ${value}\n`;
  return [
    `\n${pc.bold('Sallyport emulator')} ${pc.dim(version)}\n\n`,
    line('address', pc.cyan(url)),
    line('API key', printable(credentials.apiKey)),
    line('client id', printable(credentials.clientId)),
    line('production', printable(`${production.credentials.apiKey} with ${production.credentials.clientId}`)),
    line('admin key', `${adminKey}, for creating worlds`),
    ...(seed === undefined ? [] : [line('seed', printable(seed))]),
    ...(state === undefined ? [] : [line('state', printable(stateLine(state)))]),
    line('console', pc.cyan(`${url}/`)),
    line('inbox', pc.cyan(`${url}/_emulator/inbox`)),
    line('controls', `${url}/_emulator/…, see docs/reference/controls.md in the package`),
    ...users.map((user, at) => line(at === 0 ? 'sign in as' : '', user)),
    `\n  Set these variables for your application:\n\n`,
    ...Object.entries(env).map(([name, value]) => `    export ${name}=${printable(value)}\n`),
    `\n  ${pc.dim(`Press Ctrl+C to stop. ${stateAfterExit(state)}.`)}\n\n`,
  ].join('');
}
