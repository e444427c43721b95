import { type Fields, part, ref, string } from '../../../service/describe/define.js';
import { badRequest, type RequestProblem } from '../../world/refusal.js';
import { table, type World } from '../../world/world.js';
import { checkedForms, fits } from './password-hashes.js';

const password = part({
  /** How the hash was made, `bcrypt` for those made here. */
  type: string,
  hash: string,
});
/** A password as the emulator stores it: never in plain text. */
export interface PasswordRecord extends Readonly<Fields<typeof password>> {}

/** What a request says about a password. */
export interface PasswordFields {
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly passwordHashType?: string | undefined;
}

/** The passwords by the id of their user; apart from the users, so that no answer can carry one. */
export const passwords = table<PasswordRecord>('password', ref<PasswordRecord>(password));

/** The least that bcrypt takes: this is no place to protect real passwords, and a seed has many of them. */
const rounds = 4;
const fewestCharacters = 8;
/** bcrypt ignores what is beyond. */
const mostBytes = 72;

/** What is wrong with how a password is given; whether it is any good is `refuseWeak`'s business. */
export function* wrongPasswordFields({
  password,
  passwordHash,
  passwordHashType,
}: PasswordFields): Generator<RequestProblem> {
  if (password !== undefined && passwordHash !== undefined)
    yield {
      field: 'password_hash',
      code: 'mutually_exclusive',
      message: 'must be left out beside password; send one of the two',
    };
  else if (password !== undefined && passwordHashType !== undefined)
    yield {
      field: 'password_hash_type',
      code: 'mutually_exclusive',
      message: 'must be left out beside password; it belongs to password_hash',
    };
  else if (passwordHash !== undefined && passwordHashType === undefined)
    yield { field: 'password_hash_type', code: 'required', message: 'is required with password_hash' };
  else if (passwordHash === undefined && passwordHashType !== undefined)
    yield { field: 'password_hash', code: 'required', message: 'is required with password_hash_type' };
  if (passwordHash === '') yield { field: 'password_hash', code: 'invalid_format', message: 'must not be empty' };
}

/** Refuse a password nobody should have. @throws {Refusal} 400. */
export function refuseWeak(password: string, field = 'password'): void {
  const bytes = new TextEncoder().encode(password).length;
  const objection =
    [...password].length < fewestCharacters
      ? { code: 'password_too_short', message: `must have at least ${fewestCharacters} characters` }
      : bytes > mostBytes
        ? { code: 'password_too_long', message: `must have at most ${mostBytes} bytes` }
        : undefined;
  if (objection)
    throw badRequest('password_strength_error', `The ${field} ${objection.message}`, {
      errors: [{ field, ...objection }],
    });
}

/** Hash a password. @throws {Refusal} 400 for a weak one. */
export async function hashPassword(password: string, field?: string): Promise<PasswordRecord> {
  refuseWeak(password, field);
  const { default: bcrypt } = await import('bcryptjs');
  return { type: 'bcrypt', hash: await bcrypt.hash(password, rounds) };
}

/** The record of a request's password; a hash made elsewhere stays as it was given. Undefined without a password. */
export async function passwordRecordOf(fields: PasswordFields): Promise<PasswordRecord | undefined> {
  const { password, passwordHash, passwordHashType } = fields;
  if (password !== undefined) return hashPassword(password);
  if (passwordHash === undefined || passwordHashType === undefined) return undefined;
  return { type: passwordHashType, hash: passwordHash };
}

/** Give a user this password, in place of any before. */
export function setPassword(world: World, userId: string, password: PasswordRecord): void {
  world.of(passwords).set(userId, password);
}

/** Hash of nobody's password, with the rounds of those made here. */
const nobodys = '$2b$04$MNtO/.KNHEoBQHentRIJNeSjvKB2qkaEa4XEsgARRb2yeSb.Roiie';

/**
 * Whether this is the password of a user; it takes as long for somebody who has none, or is no user.
 *
 * @throws {Refusal} 400 when the password was imported in a form that cannot be checked.
 */
export async function isPassword(world: World, userId: string | undefined, password: string): Promise<boolean> {
  const record = userId === undefined ? undefined : world.of(passwords).get(userId);
  const { type, hash } = record ?? { type: 'bcrypt', hash: nobodys };
  const right = await fits(password, type, hash);
  if (right === undefined)
    throw badRequest(
      'password_hash_unsupported',
      `The password of this user was imported as ${JSON.stringify(type)} in a form that the emulator cannot check. It checks ${checkedForms}. Import it in one of these, or set a new password`,
    );
  return record !== undefined && right;
}
