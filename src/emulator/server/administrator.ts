import { checkOption } from '../../errors/check-option.js';
import { createIds } from '../world/ids.js';
import { Refusal } from '../world/refusal.js';
import type { Environments } from './environments.js';

/** What administrator keys begin with. */
const prefix = 'ak_';

/** The administrator key of an emulator: the one it is given, or a random one. @throws {ConfigurationError} */
export function adminKeyOf(adminKey: string | undefined): string {
  checkOption(
    adminKey === undefined || (typeof adminKey === 'string' && /^ak_[\x21-\x7e]{8,}$/.test(adminKey)),
    'adminKey of createEmulator',
    'must start with ak_ and go on with at least 8 characters without blanks',
  );
  // Random whatever the seed of ids: it opens all worlds.
  return adminKey ?? prefix + createIds({ now: () => 0 }).token(40);
}

/** Refuse whoever does not show the administrator key. @throws {Refusal} 401, 403 for an API key. */
export function checkAdminKey(adminKey: string, bearer: string | undefined, environments: Environments): void {
  if (bearer !== undefined && isSame(bearer, adminKey)) return;
  const next =
    'Send the administrator key, ak_…, after the word Bearer: emulator.adminKey has it, and sallyport emulator prints it';
  if (bearer !== undefined && environments.ofKey(bearer))
    throw new Refusal(403, 'admin_key_required', `This is an API key, which opens one world and makes none. ${next}`);
  const [code, what] =
    bearer === undefined
      ? ['missing_admin_key', 'The request has no administrator key']
      : ['unknown_admin_key', 'This is not the administrator key of this emulator'];
  throw new Refusal(401, code, `${what}. ${next}`, {}, { 'www-authenticate': 'Bearer' });
}

/** Compare two texts in a time that says nothing about where they differ. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
