import { readFile } from 'node:fs/promises';
import type { Source } from '../emulator/command-line.js';
import { pc } from './colours.js';
import { printable } from './printable.js';

/** Somebody whom a seed names, with the password that stands in it. */
interface SeededPerson {
  readonly email: string;
  readonly password: string | undefined;
}

/** The most people that are named. */
const mostPeople = 10;

const isEntry = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The people whom a seed names, in its order, with the passwords that it says itself: not those that a module takes from elsewhere. */
export async function peopleIn(seed: Source | undefined): Promise<readonly SeededPerson[]> {
  const value = await seed?.value();
  const users = isEntry(value) && Array.isArray(value.users) ? value.users : [];
  const own = await ownTextsOf(seed);
  return users.flatMap((user: unknown) => {
    if (!isEntry(user) || !isText(user.email)) return [];
    const { email, password } = user;
    const isWritten = isText(password) && (own === undefined || own.some((text) => text.includes(password)));
    return [{ email, password: isWritten ? password : undefined }];
  });
}

/** What a module and what it imports say; undefined for a seed that is data. */
async function ownTextsOf({ file, files }: Partial<Source> = {}): Promise<readonly string[] | undefined> {
  if (file === undefined || /\.(?:ya?ml|json)$/i.test(file)) return undefined;
  return Promise.all((files ?? []).map((path) => readFile(path, 'utf8').catch(() => '')));
}

/** A line for each of the first people, and how many more there are. */
export function peopleLines(people: readonly SeededPerson[]): readonly string[] {
  const first = people.slice(0, mostPeople);
  const width = Math.max(0, ...first.map(({ email }) => printable(email).length));
  const more = people.length - first.length;
  return [
    ...first.map(({ email, password }) =>
      password === undefined
        ? `${printable(email).padEnd(width)}  ${pc.dim('no password in the seed; the sign-in page lists them')}`
        : `${pc.bold(printable(email).padEnd(width))}  ${printable(password)}`,
    ),
    ...(more > 0 ? [pc.dim(`and ${more} more`)] : []),
  ];
}
