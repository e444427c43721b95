import { EmulatorRefusal } from '../store/refusal.js';
import { createIds } from '../world/ids.js';
import type { WorldDirectory } from '../world/world-directory.js';

/** Create a random administrator key. It never derives from the seed of ids, because it gives access to all worlds. */
export const createAdminKey = (): string => `ak_${createIds({ now: () => 0 }).token(40)}`;

/** Check that a request carries the administrator key. @throws {EmulatorRefusal} 401, or 403 for an API key. */
export function checkAdminKey(adminKey: string, bearer: string | undefined, directory: WorldDirectory): void {
  if (bearer !== undefined && isSame(bearer, adminKey)) return;
  const next =
    'Send Authorization: Bearer and the administrator key, ak_…, from emulator.adminKey or the output of sallyport emulator';
  if (bearer !== undefined && directory.ofKey(bearer))
    throw new EmulatorRefusal(
      403,
      'admin_key_required',
      `This is an API key, which belongs to one world and cannot create worlds. ${next}`,
    );
  const [code, what] =
    bearer === undefined
      ? ['missing_admin_key', 'The request has no administrator key']
      : [
          'unknown_admin_key',
          'This is not the administrator key of this emulator, which has a new one after each start unless you choose it',
        ];
  throw new EmulatorRefusal(401, code, `${what}. ${next}`, {}, { 'www-authenticate': 'Bearer' });
}

/** Compare two strings without revealing by timing where they differ. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
