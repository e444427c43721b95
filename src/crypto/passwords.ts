import { checkOptions } from '../errors/check-option.js';
import { variable } from '../http/environment.js';
import { isLike } from '../http/json.js';

/** A cookie password and the id by which a seal names it. */
export interface PasswordEntry {
  /** Letters, digits and underscores, at most 64; stands in the seal for everyone to read. */
  readonly id: string;
  /** At least 32 characters, random: a seal is as hard to open as its password is to guess. */
  readonly secret: string;
}

/**
 * One password, or a list while you replace it: the first seals, any opens. A single string has the id `1`, under which
 * other packages seal too.
 */
export type Password = string | readonly PasswordEntry[];

/** Passwords that were checked. All behind functions, so that it prints without its secrets. */
export interface PasswordRing {
  /** The password that seals. */
  first(): PasswordEntry;
  /** Every password. */
  all(): readonly PasswordEntry[];
  /** The password of an id, when it is one of the list. */
  find(id: string): PasswordEntry | undefined;
}

/**
 * The passwords, checked.
 *
 * @throws {ConfigurationError} There is none, one has fewer than 32 characters, or an id is malformed or given twice.
 */
export function passwordRing(password: Password): PasswordRing {
  // An empty list is one password that will not do.
  const list: readonly PasswordEntry[] =
    Array.isArray(password) && password.length ? password : [{ id: '1', secret: password }];
  // Whoever set the variable looks for it there.
  const what = password === variable(fromEnvironment) ? fromEnvironment : 'The cookie password';
  const check = (holds: unknown, problem: string) =>
    checkOptions(holds, `${what} ${problem}`, 'Run openssl rand -base64 32');
  const all: PasswordEntry[] = [];
  const find = (wanted: string) => all.find(({ id }) => id === wanted);
  for (const { id, secret } of list) {
    check(isLike(id, /^\w{1,64}$/) && !find(id), 'must have its own id, of letters and digits');
    check(secret?.length > 31, 'must have 32 characters or more');
    all.push({ id, secret });
  }
  // There is one, as was checked.
  return { first: () => all[0]!, all: () => all, find };
}

const fromEnvironment = 'SALLYPORT_COOKIE_PASSWORD';
