import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { OnceDatabase } from '../../streams/once/drivers.js';
import { CommandError } from '../command-error.js';

/** The user's database, opened with a driver from the user's project. */
export interface UserDatabase {
  readonly handle: OnceDatabase;
  close(): unknown;
}

/** A database driver that the project may have installed. */
interface Driver {
  readonly name: string;
  // `never`, because these packages are optional and their types are not available here.
  readonly open: (module: never, location: string) => UserDatabase;
}

type Constructor<Handle> = new (location: unknown) => Handle & OnceDatabase & { close(): unknown; end(): unknown };

const postgres: readonly Driver[] = [
  {
    name: 'pg',
    open: ({ Pool }: { Pool: Constructor<{ on(event: 'error', listener: () => void): void }> }, connectionString) => {
      const handle = new Pool({ connectionString, max: 1 });
      // Without a listener, a lost connection would end the process before it prints its error.
      handle.on('error', () => {});
      return { handle, close: () => handle.end() };
    },
  },
  {
    name: 'postgres',
    open: (connect: (url: string, options: object) => OnceDatabase & { end(): unknown }, url) => {
      // By default, this driver prints notices, for example that a table already exists.
      const handle = connect(url, { max: 1, onnotice: () => {} });
      return { handle, close: () => handle.end() };
    },
  },
];

const sqlite = (name: string, className?: string): Driver => ({
  name,
  open: (module: Record<string, Constructor<object>>, file) => {
    const Database = className === undefined ? (module as unknown as Constructor<object>) : module[className]!;
    const handle = new Database(file);
    return { handle, close: () => handle.close() };
  },
});

const sqlites: readonly Driver[] = [
  sqlite('better-sqlite3'),
  sqlite('node:sqlite', 'DatabaseSync'),
  sqlite('node-sqlite3-wasm', 'Database'),
];

/**
 * Open a `postgres://…` URL or a SQLite file, with a driver that the project in this folder has installed.
 *
 * @throws {CommandError} No database was given, its file does not exist, or the project has no driver for it.
 */
export function openUserDatabase(location: string | undefined = process.env.DATABASE_URL): UserDatabase {
  if (location === undefined || location === '')
    throw new CommandError('No database was given. Pass its URL or file with --database, or set DATABASE_URL.');
  const address = String(location);
  if (/^postgres(?:ql)?:/.test(address)) return openWith(postgres, address, 'PostgreSQL', 'pg or postgres');
  // The URL may contain a password, so the message does not repeat it.
  if (/^(?!file:|sqlite:)[a-z][a-z+]+:\/\//i.test(address))
    throw new CommandError('--database must be a postgres:// URL or the path of a SQLite file.');
  const file = address.replace(/^(?:file|sqlite):(?:\/\/(?=\/|[^/]))?/, '');
  if (!existsSync(file)) throw new CommandError(`The file ${file} does not exist. Check --database, or DATABASE_URL.`);
  return openWith(sqlites, file, 'SQLite', 'better-sqlite3, or run this with Node 22 or later');
}

function openWith(drivers: readonly Driver[], location: string, engine: string, remedy: string): UserDatabase {
  const require = createRequire(join(process.cwd(), 'package.json'));
  for (const { name, open } of drivers) if (isInstalled(require, name)) return open(require(name) as never, location);
  const names = drivers.map(({ name }) => name).join(', ');
  throw new CommandError(
    `The project in this folder has no driver for ${engine}: none of ${names} is installed. Run this in the folder of your application, or install ${remedy}.`,
  );
}

function isInstalled(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
