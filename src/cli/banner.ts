import type { Emulator } from '../emulator/index.js';
import { version } from '../version.js';
import { pc } from './colours.js';
import { printable } from './printable.js';
import { stateLine, whatRemains } from './state-texts.js';

/** What a banner says beside the emulator's own. */
interface BannerParts {
  /** The seed file as the user named it. */
  readonly seed: string | undefined;
  /** Printable lines about the people who can sign in. */
  readonly people: readonly string[];
}

/** The text that `sallyport emulator` prints when it listens: addresses, people who can sign in, variables to set. */
export function banner(
  { url, credentials, production, adminKey, env, state }: Emulator,
  { seed, people }: BannerParts,
): string {
  const line = (name: string, value: string): string => `  ${pc.dim(name.padEnd(10))} ${value}\n`;
  return [
    `\n${pc.bold('Sallyport emulator')} ${pc.dim(version)}\n\n`,
    line('address', pc.cyan(url)),
    line('API key', printable(credentials.apiKey)),
    line('client id', printable(credentials.clientId)),
    line('production', printable(`${production.credentials.apiKey} with ${production.credentials.clientId}`)),
    line('worlds', `made with the administrator key ${adminKey}`),
    ...(seed === undefined ? [] : [line('seed', printable(seed))]),
    ...(state === undefined ? [] : [line('state', printable(stateLine(state)))]),
    line('console', pc.cyan(`${url}/`)),
    line('inbox', pc.cyan(`${url}/_emulator/inbox`)),
    line('controls', `${url}/_emulator/… as in docs/emulator-controls.md of the package`),
    ...people.map((person, at) => line(at === 0 ? 'sign in as' : '', person)),
    `\n  For your application:\n\n`,
    ...Object.entries(env).map(([name, value]) => `    export ${name}=${printable(value)}\n`),
    `\n  ${pc.dim(`Ctrl+C stops it; ${whatRemains(state)}.`)}\n\n`,
  ].join('');
}
