import { quotable, type Redactor } from '../../errors/index.js';
import { chainOf, printableCause } from '../../errors/printable-cause.js';
import { isText } from '../../http/json.js';
import type { Config } from '../types.js';

/** A failed connection, explained for an error. */
export interface ExplainedFailure {
  readonly why: string;
  readonly next: string;
  readonly cause?: unknown;
}

/** Error codes of runtimes for a refused connection. */
const refusedCodes: readonly unknown[] = ['ECONNREFUSED', 'ConnectionRefused'];

const codeOf = (thrown: unknown): string | undefined =>
  chainOf(thrown)
    .map(({ code }) => code)
    .find(isText);

/** Whether the connection was refused, because nothing listens at the address. */
export const isRefused = (thrown: unknown): boolean =>
  chainOf(thrown).some(
    // Deno reports it only in the message.
    ({ code, message }) => refusedCodes.includes(code) || (isText(message) && /\bconnection refused\b/i.test(message)),
  );

/** Explain why no response arrived. The cause has no secrets. */
export function explainConnectionFailure(config: Config, thrown: unknown, redact: Redactor): ExplainedFailure {
  const messages = isText(thrown) ? [thrown] : chainOf(thrown).map(({ message }) => message);
  const why = [codeOf(thrown), ...messages].filter(isText).join(': ');
  return {
    why: quotable(why, redact),
    next:
      config.loopback && isRefused(thrown)
        ? 'Start the emulator with npx sallyport emulator, or correct baseUrl'
        : 'Check baseUrl, the network and the proxy',
    cause: printableCause(thrown, redact),
  };
}
