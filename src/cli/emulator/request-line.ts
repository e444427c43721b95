import type { LoggedRequest } from '../../emulator/index.js';
import { pc } from '../colours.js';
import { printable } from '../printable.js';

const colourOf = (status: number) =>
  status < 300 ? pc.green : status < 400 ? pc.cyan : status < 500 ? pc.yellow : pc.red;

/** Format a request as one line: its time, status, method, path and duration, the fields it ignored, and the events it caused. */
export function requestLine(request: LoggedRequest): string {
  const { at, method, path, status, durationMs, clientMethod, ignoredFields, events } = request;
  const parts = [
    pc.dim(at.slice(11, 19)),
    colourOf(status)(String(status)),
    printable(`${method} ${path}`),
    pc.dim(`${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`),
    ...(clientMethod === null ? [] : [pc.dim(printable(clientMethod))]),
    ...(ignoredFields.length === 0 ? [] : [pc.dim(printable(`ignored: ${ignoredFields.join(', ')}`))]),
    ...(events.length === 0 ? [] : [`${pc.dim('→')} ${printable(events.map(({ event }) => event).join(', '))}`]),
  ];
  return `  ${parts.join('  ')}\n`;
}
