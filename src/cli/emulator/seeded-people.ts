import type { Source } from '../../emulator/command-line.js';
import { pc } from '../colours.js';
import { printable } from '../printable.js';

/** A user of a seed, with the password if it is in the text of the seed. */
interface SeededUser {
  readonly email: string;
  readonly password: string | undefined;
}

/** Maximum number of users to print. */
const maxUsers = 10;

const isEntry = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** List the users of a seed in order. Omits the passwords of a module, which may read them from elsewhere. */
export async function usersIn(seed: Source | undefined): Promise<readonly SeededUser[]> {
  const value = await seed?.value();
  const users = isEntry(value) && Array.isArray(value.users) ? value.users : [];
  const isModule = /\.[cm]?[jt]s$/i.test(seed?.file ?? '');
  return users.flatMap((user: unknown) => {
    if (!isEntry(user) || !isText(user.email)) return [];
    const { email, password } = user;
    return [{ email, password: isText(password) && !isModule ? password : undefined }];
  });
}

/** Format the first users, one per line, followed by the number of the others. */
export function userLines(users: readonly SeededUser[]): readonly string[] {
  const first = users.slice(0, maxUsers);
  const width = Math.max(0, ...first.map(({ email }) => printable(email).length));
  const more = users.length - first.length;
  return [
    ...first.map(({ email, password }) =>
      password === undefined
        ? `${printable(email).padEnd(width)}  ${pc.dim('choose this user on the sign-in page')}`
        : `${pc.bold(printable(email).padEnd(width))}  ${printable(password)}`,
    ),
    ...(more > 0 ? [pc.dim(`and ${more} more`)] : []),
  ];
}
