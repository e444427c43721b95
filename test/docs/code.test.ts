import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { compile, optionsIn } from '../builds/compiler.js';
import { runnable } from '../builds/runnable.js';
import { takesLong } from '../runner/requirements.js';
import { codeIn, isWalked, pages, programs, read } from './markdown.js';

// Every block of TypeScript on the pages compiles as a module, and a block with its output below it prints that output.

/** The names that pages use without declaring them. */
const given = `
import type * as client from 'sallyport';
import type * as service from 'sallyport/emulator';
import type * as session from 'sallyport/session';
import type * as stores from 'sallyport/stores';
import type * as streams from 'sallyport/streams';
import type * as testing from 'sallyport/testing';
import type { Pool, PoolClient } from 'pg';

declare global {
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
  function copyAccounts(): Promise<void>;
  function grantAccess(id: string, email: string | null): Promise<void>;
  function removeAccess(id: string): Promise<void>;
}
`;

/** The drivers that pages import. This package does not install them. */
const drivers = `
declare module 'bullmq' {
  export class Queue {
    constructor(name: string, options: { connection: { host: string } });
    add(name: string, data: unknown, options?: object): Promise<unknown>;
  }
}
declare module 'ioredis' {
  export class Redis {
    constructor(url?: string, options?: { maxRetriesPerRequest?: number });
    call(command: string, ...args: string[]): Promise<unknown>;
  }
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
  }
}
declare module 'pg-boss' {
  export class PgBoss {
    constructor(url: string);
    start(): Promise<this>;
    send(queue: string, data?: object | null, options?: object): Promise<string | null>;
  }
}
declare module 'redis' {
  interface Cluster {
    connect(): Promise<Cluster>;
    sendCommand(key: string | undefined, isReadonly: boolean | undefined, command: string[]): Promise<unknown>;
  }
  export function createCluster(options: { rootNodes: { url?: string | undefined }[] }): Cluster;
}
`;

/** A block of code on a page. */
interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: 'ts' | 'tsx';
  readonly code: string;
  /** What the page says that the code prints. */
  readonly output: string | undefined;
}

function blocksOf(page: string, text: string): Block[] {
  const blocks = text.matchAll(/^```(tsx?)\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm);
  return [...blocks].map(({ index, 1: language, 2: code = '', 3: output }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language: language as Block['language'],
    code,
    output,
  }));
}

/** Remove indentation, because pages move lines to the left. */
const flush = (code: string): string => `\n${code.replace(/^[ \t]+/gm, '').trim()}\n`;

/** The programs of the examples that a page links to, with everything in folders that it links to. */
const examplesOf = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\(([^)#]*examples\/[^)#]+)/g)].flatMap(([, link = '']) => {
    const path = normalize(join(dirname(page), link));
    if (!existsSync(path)) return [];
    if (/\.\w+$/.test(path)) return [path];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'));
  });

/**
 * The blocks of a page that are not taken from a program in `examples`, which other tests compile and run. `// …` stands for lines
 * that are left out.
 */
function ownBlocks(page: string, text: string): Block[] {
  const examples = examplesOf(page, text).map((file) => flush(read(file)));
  const isTaken = (piece: string): boolean => examples.some((example) => example.includes(flush(piece)));
  return blocksOf(page, text).filter(({ code }) => !code.split(/^\s*\/\/ …\s*$/m).every(isTaken));
}

const nameOf = ({ page, line, language }: Pick<Block, 'page' | 'line' | 'language'>): string =>
  `${page.replaceAll('/', '-')}-${line}.${language}`;

/** The blocks of a page as modules. The blocks of a program are one module, as a reader would type them. */
function modulesOf(page: string, text: string): [name: string, code: string][] {
  if (programs.includes(page)) return [[nameOf({ page, line: 1, language: 'ts' }), codeIn(text, 'ts').join('\n')]];
  return ownBlocks(page, text).map((block) => [nameOf(block), `${block.code}\nexport {};\n`]);
}

/** What the compiler says about modules, by name. Modules that add to our types do not meet the others. */
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

takesLong('the code of the pages', () => {
  test('every block compiles, and wrong code does not', () => {
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

  const printing = checked.flatMap((page) => ownBlocks(page, read(page))).filter(({ output }) => output !== undefined);

  test.each(printing)(
    'the code at $page:$line prints what the page says',
    async ({ code, output, ...place }) => {
      const folder = '.cache/output-of-pages';
      mkdirSync(folder, { recursive: true });
      const name = nameOf(place);
      writeFileSync(`${folder}/${name}`, code);
      const made = await runnable([`${folder}/${name}`]);
      const run = promisify(execFile);

      const { stdout } = await run(process.execPath, [made.file(name.replace(/\.ts$/, ''))], { timeout: 60_000 });
      made.remove();

      expect(stdout).toBe(output);
    },
    120_000,
  );

  test('the blocks of a page are those of its TypeScript that no program in examples has, with their output', () => {
    const [first, , third] = read('examples/events.ts').split('\n');
    const page = `[all](../examples/events.ts)\n\n\`\`\`ts\n${first}\n// …\n${third}\n\`\`\`\n\n\`\`\`ts\none();\n\`\`\`\n\n\`\`\`text\n1\n\`\`\`\n\n\`\`\`tsx\ntwo();\n\`\`\`\n`;

    expect(ownBlocks('docs/a.md', page)).toEqual([
      { page: 'docs/a.md', line: 9, language: 'ts', code: 'one();\n', output: '1\n' },
      { page: 'docs/a.md', line: 17, language: 'tsx', code: 'two();\n', output: undefined },
    ]);
  });

  test('some blocks of the pages have their output below them', () => {
    expect(checked.flatMap((page) => ownBlocks(page, read(page))).some(({ output }) => output)).toBe(true);
  });
});
