import { ConfigurationError } from '../errors/sallyport-error.js';

/** A cookie password and the id by which a seal names it. */
export interface PasswordEntry {
  /** Letters, digits and underscores, at most 64; stands in the seal for everyone to read. */
  readonly id: string;
  /** At least 32 characters, random: a seal is as hard to open as its password is to guess. */
  readonly secret: string;
}

/**
 * One password, or a list while passwords are being exchanged: the first seals, any opens. A single text has the id `1`,
 * which is also the id under which other packages seal.
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
  const given: readonly Partial<PasswordEntry>[] =
    typeof password === 'string' ? [{ id: '1', secret: password }] : Array.isArray(password) ? password : [];
  const entries = new Map<string, PasswordEntry>();
  for (const { id, secret } of given) {
    if (typeof id !== 'string' || !/^\w{1,64}$/.test(id))
      throw unusable('has an id that is not 1 to 64 letters, digits and underscores');
    if (entries.has(id)) throw unusable(`has the id ${id} twice`);
    if (typeof secret !== 'string' || secret.length < 32) throw unusable('is shorter than 32 characters');
    entries.set(id, { id, secret });
  }
  const all = [...entries.values()];
  const [first] = all;
  if (!first) throw unusable('is missing');
  return { first: () => first, all: () => all, find: (id) => entries.get(id) };
}

const unusable = (problem: string) =>
  new ConfigurationError('invalid_option', {
    what: `The cookie password ${problem}`,
    next: 'Pass 32 or more random characters, made by `openssl rand -base64 32` say, or a list of { id, secret }',
  });
