import bcrypt from 'bcryptjs';
import { type Fields, part, ref, string } from '../../../service/describe/define.js';
import { badRequest, type RequestProblem } from '../../store/refusal.js';
import { type Memory, table } from '../../world/memory.js';
import { matchesHash, ownRounds, supportedFormats } from './password-hashes.js';

const password = part({
  /** Hash algorithm; `bcrypt` for passwords that the emulator hashed. */
  type: string,
  hash: string,
});
/** A password as the emulator stores it, never in plain text. */
export interface PasswordRecord extends Readonly<Fields<typeof password>> {}

/** The password fields of a request. */
interface PasswordFields {
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly passwordHashType?: string | undefined;
}

/** Passwords by user id. They are stored separately from users, so that no response can contain one. */
export const passwords = table<PasswordRecord>('password', ref<PasswordRecord>(password));

const minCharacters = 8;
/** bcrypt ignores all further bytes. */
const maxBytes = 72;

/** Check that the password fields of a request can be combined. `refuseWeak` checks the password itself. */
export function* wrongPasswordFields({
  password,
  passwordHash,
  passwordHashType,
}: PasswordFields): Generator<RequestProblem> {
  if (password !== undefined && passwordHash !== undefined)
    yield {
      field: 'password_hash',
      code: 'mutually_exclusive',
      message: 'must not be sent together with password',
    };
  else if (password !== undefined && passwordHashType !== undefined)
    yield {
      field: 'password_hash_type',
      code: 'mutually_exclusive',
      message: 'must not be sent together with password; it belongs to password_hash',
    };
  else if (passwordHash !== undefined && passwordHashType === undefined)
    yield { field: 'password_hash_type', code: 'required', message: 'is required with password_hash' };
  else if (passwordHash === undefined && passwordHashType !== undefined)
    yield { field: 'password_hash', code: 'required', message: 'is required with password_hash_type' };
  if (passwordHash === '') yield { field: 'password_hash', code: 'invalid_format', message: 'must not be empty' };
}

/** Refuse a password that is too short or too long. @throws {EmulatorRefusal} 400. */
function refuseWeak(password: string, field = 'password'): void {
  const bytes = new TextEncoder().encode(password).length;
  const problem =
    [...password].length < minCharacters
      ? { code: 'password_too_short', message: `must have at least ${minCharacters} characters` }
      : bytes > maxBytes
        ? { code: 'password_too_long', message: `must have at most ${maxBytes} bytes` }
        : undefined;
  if (problem)
    throw badRequest('password_strength_error', `The ${field} ${problem.message}`, {
      errors: [{ field, ...problem }],
    });
}

/** Hash a password. @throws {EmulatorRefusal} 400 for a weak one. */
export function hashPassword(password: string, field?: string): PasswordRecord {
  refuseWeak(password, field);
  return { type: 'bcrypt', hash: bcrypt.hashSync(password, ownRounds) };
}

/** Hash the password of a request, or use its imported hash unchanged. Returns undefined if the request has neither. */
export function passwordRecordOf(fields: PasswordFields): PasswordRecord | undefined {
  const { password, passwordHash, passwordHashType } = fields;
  if (password !== undefined) return hashPassword(password);
  if (passwordHash === undefined || passwordHashType === undefined) return undefined;
  return { type: passwordHashType, hash: passwordHash };
}

/** Set or replace a user's password. */
export function setPassword(memory: Memory, userId: string, password: PasswordRecord): void {
  memory.of(passwords).set(userId, password);
}

/** Hash used for users that are unknown or have no password. It has the same rounds, so that the check takes equally long. */
const decoyHash = '$2b$04$MNtO/.KNHEoBQHentRIJNeSjvKB2qkaEa4XEsgARRb2yeSb.Roiie';

/**
 * Check a user's password. This takes equally long if the user is unknown or has no password.
 *
 * @throws {EmulatorRefusal} 400 if the password was imported in an unsupported format.
 */
export async function isPassword(memory: Memory, userId: string | undefined, password: string): Promise<boolean> {
  const record = userId === undefined ? undefined : memory.of(passwords).get(userId);
  const { type, hash } = record ?? { type: 'bcrypt', hash: decoyHash };
  const matches = await matchesHash(password, type, hash);
  if (matches === undefined)
    throw badRequest(
      'password_hash_unsupported',
      `The password of this user was imported as ${JSON.stringify(type)} in a format that the emulator cannot check. Import it as ${supportedFormats}, or set a new password`,
    );
  return record !== undefined && matches;
}
