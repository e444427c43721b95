import { checkOptions } from '../errors/check-option.js';
import { variable } from '../http/environment.js';
import { isLike } from '../http/json.js';

/** A cookie password and its id, which is part of every seal. */
export interface PasswordEntry {
  /** At most 64 letters, digits and underscores. Readable in the cookie. */
  readonly id: string;
  /** At least 32 random characters. */
  readonly secret: string;
}

/**
 * One password, or a list while you rotate it: the first password seals, and any of them opens. A single string has the id `1`,
 * as in other packages.
 */
export type Password = string | readonly PasswordEntry[];

/** Validated passwords. The functions keep the secrets out of printed values. */
export interface PasswordRing {
  /** Return the password to seal with. */
  first(): PasswordEntry;
  all(): readonly PasswordEntry[];
  /** Return the password with an id, or undefined. */
  find(id: string): PasswordEntry | undefined;
}

/**
 * Validate the passwords.
 *
 * @throws {ConfigurationError} There are none, one has fewer than 32 characters, or an id is malformed or used twice.
 */
export function passwordRing(password: Password): PasswordRing {
  // An empty list becomes an invalid password, so that the check below reports it.
  const list: readonly PasswordEntry[] =
    Array.isArray(password) && password.length ? password : [{ id: '1', secret: password }];
  // Name the environment variable if the password comes from it.
  const what = password === variable(fromEnvironment) ? fromEnvironment : 'The cookie password';
  const check = (condition: unknown, problem: string) =>
    checkOptions(condition, `${what} ${problem}`, 'Run openssl rand -base64 32');
  const all: PasswordEntry[] = [];
  const find = (passwordId: string) => all.find(({ id }) => id === passwordId);
  for (const { id, secret } of list) {
    check(isLike(id, /^\w{1,64}$/) && !find(id), 'must have a unique id of letters, digits and underscores');
    check(secret?.length > 31, 'must have 32 characters or more');
    all.push({ id, secret });
  }
  // The list has at least one entry.
  return { first: () => all[0]!, all: () => all, find };
}

const fromEnvironment = 'SALLYPORT_COOKIE_PASSWORD';
