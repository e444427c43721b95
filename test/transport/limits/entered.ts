import { type Line, Turn } from '../../../src/transport/limits/line.js';

/** Wait for a place in a queue, as a call without a deadline does. */
export async function entered(line: Line): Promise<Turn> {
  const turn = new Turn(0, Infinity);
  if (!line.enter(turn)) await line.wait(turn, new AbortController().signal);
  return turn;
}
