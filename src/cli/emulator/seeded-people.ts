import { readFile } from 'node:fs/promises';
import type { Source } from '../../emulator/command-line.js';
import { pc } from '../colours.js';
import { printable } from '../printable.js';

/** A user of a seed, with the password if the seed contains it. */
interface SeededUser {
  readonly email: string;
  readonly password: string | undefined;
}

/** Maximum number of users to print. */
const maxUsers = 10;

const isEntry = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** List the users of a seed in order. Omits passwords that a module computes or reads from elsewhere. */
export async function usersIn(seed: Source | undefined): Promise<readonly SeededUser[]> {
  const value = await seed?.value();
  const users = isEntry(value) && Array.isArray(value.users) ? value.users : [];
  const sources = await sourceTexts(seed);
  return users.flatMap((user: unknown) => {
    if (!isEntry(user) || !isText(user.email)) return [];
    const { email, password } = user;
    const isWritten = isText(password) && (sources === undefined || sources.some((text) => text.includes(password)));
    return [{ email, password: isWritten ? password : undefined }];
  });
}

/** Read the source text of a seed module and its imports. Returns undefined for YAML and JSON. */
async function sourceTexts({ file, files }: Partial<Source> = {}): Promise<readonly string[] | undefined> {
  if (file === undefined || /\.(?:ya?ml|json)$/i.test(file)) return undefined;
  return Promise.all((files ?? []).map((path) => readFile(path, 'utf8').catch(() => '')));
}

/** Format the first users, one per line, followed by the number of the others. */
export function userLines(users: readonly SeededUser[]): readonly string[] {
  const first = users.slice(0, maxUsers);
  const width = Math.max(0, ...first.map(({ email }) => printable(email).length));
  const more = users.length - first.length;
  return [
    ...first.map(({ email, password }) =>
      password === undefined
        ? `${printable(email).padEnd(width)}  ${pc.dim('no password in the seed; choose this user on the sign-in page')}`
        : `${pc.bold(printable(email).padEnd(width))}  ${printable(password)}`,
    ),
    ...(more > 0 ? [pc.dim(`and ${more} more`)] : []),
  ];
}
