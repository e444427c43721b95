import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { OnceDatabase } from '../streams/once/recognize.js';
import { Refusal } from './refusal.js';

/** A database of the user's, by the user's own driver. */
export interface UserDatabase {
  readonly handle: OnceDatabase;
  close(): unknown;
}

/** Opens a database by an address or a file, where a driver is installed. */
interface Driver {
  readonly name: string;
  // What a module exports is known only to who has read its manual.
  readonly open: (module: never, where: string) => UserDatabase;
}

type Constructor<Handle> = new (where: unknown) => Handle & OnceDatabase & { close(): unknown; end(): unknown };

const postgres: readonly Driver[] = [
  {
    name: 'pg',
    open: ({ Pool }: { Pool: Constructor<object> }, connectionString) => {
      const handle = new Pool({ connectionString, max: 1 });
      return { handle, close: () => handle.end() };
    },
  },
  {
    name: 'postgres',
    open: (connect: (url: string, options: object) => OnceDatabase & { end(): unknown }, url) => {
      // It prints every notice by default, such as that of a table that is there.
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
 * Opens the database at an address (`postgres://…`) or in a file of SQLite, by a driver of the project in this folder.
 *
 * @throws {Refusal} No database is named, its file is not there, or the project has no driver for it.
 */
export function openUserDatabase(where: string | number | undefined = process.env.DATABASE_URL): UserDatabase {
  if (where === undefined || where === '')
    throw new Refusal('Say which database: --database with its URL or file, or the environment variable DATABASE_URL.');
  const address = String(where);
  if (/^postgres(?:ql)?:/.test(address)) return openBy(postgres, address, 'PostgreSQL', 'pg or postgres');
  // The address may hold a password, so it is not repeated.
  if (/^(?!file:|sqlite:)[a-z][a-z+]+:\/\//i.test(address))
    throw new Refusal('--database must be a postgres:// URL or the path of a SQLite file.');
  const file = address.replace(/^(?:file|sqlite):(?:\/\/(?=\/|[^/]))?/, '');
  if (!existsSync(file)) throw new Refusal(`There is no file ${file}. Check --database, or DATABASE_URL.`);
  return openBy(sqlites, file, 'SQLite', 'better-sqlite3, or run this by Node 22 or later');
}

function openBy(drivers: readonly Driver[], where: string, engine: string, remedy: string): UserDatabase {
  const require = createRequire(join(process.cwd(), 'package.json'));
  for (const { name, open } of drivers) if (isThere(require, name)) return open(require(name) as never, where);
  const names = drivers.map(({ name }) => name).join(', ');
  throw new Refusal(
    `The project in this folder has no driver for ${engine}: none of ${names} is there. Run this in the folder of your application, or install ${remedy}.`,
  );
}

function isThere(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
