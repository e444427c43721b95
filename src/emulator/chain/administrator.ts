import { checkOption } from '../../errors/check-option.js';
import { Refusal } from '../store/refusal.js';
import { createIds } from '../world/ids.js';
import type { WorldDirectory } from '../world/world-directory.js';

/** Prefix of administrator keys. */
const prefix = 'ak_';

/** Check the given administrator key, or create a random one. @throws {ConfigurationError} */
export function adminKeyOf(adminKey: string | undefined): string {
  checkOption(
    adminKey === undefined || (typeof adminKey === 'string' && /^ak_[\x21-\x7e]{8,}$/.test(adminKey)),
    'adminKey of createEmulator',
    'must be ak_ followed by at least 8 characters without spaces',
  );
  // Never derived from the seed of ids, because this key gives access to all worlds.
  return adminKey ?? prefix + createIds({ now: () => 0 }).token(40);
}

/** Check that a request carries the administrator key. @throws {Refusal} 401, or 403 for an API key. */
export function checkAdminKey(adminKey: string, bearer: string | undefined, directory: WorldDirectory): void {
  if (bearer !== undefined && isSame(bearer, adminKey)) return;
  const next =
    'Send Authorization: Bearer and the administrator key, ak_…, from emulator.adminKey or the output of sallyport emulator';
  if (bearer !== undefined && directory.ofKey(bearer))
    throw new Refusal(
      403,
      'admin_key_required',
      `This is an API key, which belongs to one world and cannot create worlds. ${next}`,
    );
  const [code, what] =
    bearer === undefined
      ? ['missing_admin_key', 'The request has no administrator key']
      : ['unknown_admin_key', 'This is not the administrator key of this emulator'];
  throw new Refusal(401, code, `${what}. ${next}`, {}, { 'www-authenticate': 'Bearer' });
}

/** Compare two strings without revealing by timing where they differ. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
