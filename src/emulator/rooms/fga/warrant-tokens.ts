import { string } from '../../../service/describe/define.js';
import { unprocessableField } from '../../store/refusal.js';
import { type Memory, value } from '../../world/memory.js';

const prefix = 'warrant_token';

/** The token of the last write. Each read sees all writes, so that this is also the token of each check. */
const lastToken = value('last warrant token', `${prefix}_${'0'.repeat(26)}`, string);

/** Get the token of the last write. */
export const warrantToken = (memory: Memory): string => memory.of(lastToken).get();

/** Record a write and return its token. */
export function recordWarrantWrite(memory: Memory): string {
  memory.of(lastToken).set(memory.ids(prefix));
  return warrantToken(memory);
}

/** Check that the warrant token of a read has the form of one. The read sees all writes anyway. @throws {EmulatorRefusal} 422. */
export function checkWarrantToken({ headers }: Request): void {
  const token = headers.get('warrant-token');
  if (token === null || token === 'latest' || token.startsWith(`${prefix}_`)) return;
  throw unprocessableField(
    'Warrant-Token',
    'unknown_warrant_token',
    'must be latest or the warrant_token from the response to a write',
  );
}
