import type { LoggedRequest } from '../emulator/index.js';
import { pc } from './colours.js';

const colourOf = (status: number) =>
  status < 300 ? pc.green : status < 400 ? pc.cyan : status < 500 ? pc.yellow : pc.red;

/** A request as one line for people: when it came, what it was, how it was answered, and what happened because of it. */
export function requestLine({ at, method, path, status, durationMs, clientMethod, events }: LoggedRequest): string {
  const parts = [
    pc.dim(at.slice(11, 19)),
    colourOf(status)(String(status)),
    `${method} ${path}`,
    pc.dim(`${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`),
    ...(clientMethod === null ? [] : [pc.dim(clientMethod)]),
    ...(events.length === 0 ? [] : [`${pc.dim('→')} ${events.map(({ event }) => event).join(', ')}`]),
  ];
  return `  ${parts.join('  ')}\n`;
}
