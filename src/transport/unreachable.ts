import { quotable, type Redactor } from '../errors/index.js';
import { chainOf, printableCause } from '../errors/printable-cause.js';
import { isText } from '../http/json.js';
import type { Config } from './config.js';

/** What there is to say of a call that got no answer. */
export interface SilenceWords {
  readonly why: string;
  readonly next: string;
  readonly cause?: unknown;
}

/** Codes that runtimes give a refused connection. */
const refused: readonly unknown[] = ['ECONNREFUSED', 'ConnectionRefused'];

const codeOf = (thrown: unknown): string | undefined =>
  chainOf(thrown)
    .map(({ code }) => code)
    .find(isText);

/** Whether nothing listens at the address. */
export const isRefused = (thrown: unknown): boolean =>
  chainOf(thrown).some(
    // Deno says it in words only.
    ({ code, message }) => refused.includes(code) || (isText(message) && /\bconnection refused\b/i.test(message)),
  );

/** Words for a call that got no answer, and its cause without secrets. */
export function wordsOfSilence(config: Config, thrown: unknown, redact: Redactor): SilenceWords {
  const words = isText(thrown) ? [thrown] : chainOf(thrown).map(({ message }) => message);
  const why = [codeOf(thrown), ...words].filter(isText).join(': ');
  return {
    why: quotable(why, redact),
    next:
      config.loopback && isRefused(thrown)
        ? 'Start the emulator with npx sallyport emulator, or correct baseUrl'
        : 'Check baseUrl, the network and the proxy',
    cause: printableCause(thrown, redact),
  };
}
