import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { compile, optionsIn } from '../builds/compiler.js';
import { runnable } from '../builds/runnable.js';
import { takesLong } from '../runner/requirements.js';
import { type Block, ownBlocks } from './blocks.js';
import { codeIn, isWalked, pages, programs, read } from './markdown.js';

// Every block of TypeScript on the pages is compiled as a module. A block with its output below it prints that output.

/** Names that pages use without declaring them. */
const given = `
import type * as client from 'sallyport';
import type * as service from 'sallyport/emulator';
import type * as session from 'sallyport/session';
import type * as stores from 'sallyport/stores';
import type * as copies from 'sallyport/mirror';
import type * as streams from 'sallyport/streams';
import type * as testing from 'sallyport/testing';
import type { Pool, PoolClient } from 'pg';

declare global {
  var copy: copies.Mirror;
  var createEmulator: typeof service.createEmulator;
  var createSessions: typeof session.createSessions;
  var Sallyport: typeof client.Sallyport;
  var UnexpectedResponseError: typeof client.UnexpectedResponseError;

  var emulator: service.Emulator;
  var handler: (request: Request) => Promise<Response>;
  var once: streams.ExactlyOnce<unknown>;
  var pool: Pool;
  var request: Request;
  var revocations: streams.FollowedRevocations;
  var sallyport: client.Sallyport;
  var sessions: session.Sessions;
  var signal: AbortSignal;
  var sql: { begin<Result>(work: (tx: PoolClient) => Promise<Result>): Promise<Result> };
  var store: stores.Store;
  var world: testing.TestWorld;

  // Functions of the reader's application.
  function grantAccess(id: string, email: string | null): Promise<void>;
  function removeAccess(id: string): Promise<void>;
}
`;

/** The packages that pages import. This package does not install them. */
const drivers = `
declare module 'ioredis' {
  export class Redis {
    constructor(url?: string, options?: { maxRetriesPerRequest?: number });
    call(command: string, ...args: string[]): Promise<unknown>;
  }
}
declare module 'next-intl/middleware' {
  export default function createMiddleware(routing: {
    locales: readonly string[];
    defaultLocale: string;
    localePrefix: 'always' | 'as-needed' | 'never';
  }): (request: Request & { nextUrl: URL; cookies: object }) => Response & { cookies: object };
}
declare module 'pg' {
  export interface PoolClient {
    query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
    release(error?: boolean | Error): void;
  }
  export class Pool {
    constructor(options?: { connectionString?: string | undefined });
    query: PoolClient['query'];
    connect(): Promise<PoolClient>;
    on(event: 'error', listener: (error: Error) => void): this;
  }
}
declare module 'redis' {
  interface Client {
    on(event: 'error', listener: (error: Error) => void): this;
    connect(): Promise<Client>;
    sendCommand(command: string[]): Promise<unknown>;
  }
  export function createClient(options: { url?: string | undefined; disableOfflineQueue?: boolean }): Client;
  interface Cluster {
    on(event: 'error', listener: (error: Error) => void): this;
    connect(): Promise<Cluster>;
    sendCommand(key: string | undefined, isReadonly: boolean | undefined, command: string[]): Promise<unknown>;
  }
  export function createCluster(options: { rootNodes: { url?: string | undefined }[] }): Cluster;
}
`;

const nameOf = ({ page, line, language }: Pick<Block, 'page' | 'line' | 'language'>): string =>
  `${page.replaceAll('/', '-')}-${line}.${language}`;

/** The blocks of TypeScript that only this page has. */
const typed = (page: string, text: string): Block[] =>
  ownBlocks(page, text).filter(({ language }) => language.startsWith('ts'));

/** The blocks of a page as modules. The blocks of a program are one module, as a reader would type them. */
function modulesOf(page: string, text: string): [name: string, code: string][] {
  if (programs.includes(page)) return [[nameOf({ page, line: 1, language: 'ts' }), codeIn(text, 'ts').join('\n')]];
  return typed(page, text).map((block) => [nameOf(block), `${block.code}\nexport {};\n`]);
}

/** The compiler errors of modules, by name. Modules that extend the types of the package are compiled separately. */
function complaintsAbout(
  modules: readonly (readonly [name: string, code: string])[],
): Record<string, readonly string[]> {
  const folder = '.cache/code-of-pages';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/given.ts`, given);
  writeFileSync(`${folder}/drivers.d.ts`, drivers);
  for (const [name, code] of modules) writeFileSync(`${folder}/${name}`, code);
  const options = { ...optionsIn('.'), jsx: ts.JsxEmit.ReactJSX };
  const compiled = (names: readonly string[]) => {
    const { elsewhere = [], ...byName } = compile(folder, ['given.ts', 'drivers.d.ts', ...names], options);
    return { ...byName, ...(elsewhere.length > 0 && { elsewhere }) };
  };
  const adds = ([, code]: readonly [string, string]): boolean => code.includes("declare module 'sallyport'");
  const names = (some: typeof modules): string[] => some.map(([name]) => name);
  const all: Record<string, readonly string[]> = Object.assign(
    compiled(names(modules.filter((one) => !adds(one)))),
    ...modules.filter(adds).map((one) => compiled(names([one]))),
  );
  return Object.fromEntries(Object.entries(all).filter(([, complaints]) => complaints.length > 0));
}

const checked = pages.filter((page) => !isWalked(page));

takesLong('the code on the documentation pages', () => {
  test('compiles, unlike a sample page with errors', () => {
    const wrong = [
      '[all](../examples/events.ts)',
      '',
      '```ts',
      'nothing.is.here();',
      '```',
      '',
      '```ts',
      "import { Sallyport } from 'sallyport';",
      'new Sallyport({ apiKy: "sk_test_1" });',
      '```',
      '',
      '```ts',
      'emulator.no();',
      '```',
      '',
    ].join('\n');
    const modules = checked.flatMap((page) => modulesOf(page, read(page)));

    expect(modules.length).toBeGreaterThan(30);
    expect(complaintsAbout([...modules, ...modulesOf('docs/wrong.md', wrong)])).toEqual({
      'docs-wrong.md-3.ts': [expect.stringContaining("Cannot find name 'nothing'")],
      'docs-wrong.md-7.ts': [expect.stringContaining('apiKy')],
      'docs-wrong.md-12.ts': [expect.stringContaining("'no' does not exist")],
    });
  }, 300_000);

  const printing = checked.flatMap((page) => typed(page, read(page))).filter(({ output }) => output !== undefined);

  test.each(printing.map((one) => [`${one.page}, line ${one.line}`, one] as const))(
    'prints the output shown in %s',
    async (_place, { code, output, ...place }) => {
      const folder = '.cache/output-of-pages';
      mkdirSync(folder, { recursive: true });
      const name = nameOf(place);
      writeFileSync(`${folder}/${name}`, code);
      const bundled = await runnable([`${folder}/${name}`]);
      const run = promisify(execFile);

      const { stdout } = await run(process.execPath, [bundled.file(name.replace(/\.ts$/, ''))], { timeout: 60_000 });
      bundled.remove();

      expect(stdout).toBe(output);
    },
    120_000,
  );

  test('includes at least one block with printed output', () => {
    expect(printing).not.toEqual([]);
  });
});
