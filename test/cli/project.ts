import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { commandLine, type Running } from './programs.js';

/** The text of a file in `examples`, or of a template of init, such as `templates/hono/server.js`. */
export const example = (name: string): string =>
  readFileSync(join(name.startsWith('templates/') ? 'src/cli/init' : 'examples', name), 'utf8');

/** The same file for a new project, without these pages of the example. */
export const exampleOfNewProject = (path: string): string =>
  [
    "'/api/me', ",
    "'/api/session', ",
    "'/_serverFn', ",
    '  // Each server function checks the session itself.\n',
  ].reduce((text, part) => text.replace(part, ''), example(path));

/** A `package.json` that depends on this package, so that nothing is installed. */
export const manifest = (dependencies: Readonly<Record<string, string>>, more: object = {}) => ({
  'package.json': { private: true, dependencies: { sallyport: '^0.1.0', ...dependencies }, ...more },
});

/** An empty folder for each test of a file, and `sallyport init` in it. */
export function project() {
  const { sallyportIn } = commandLine();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-init-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (texts: Readonly<Record<string, string | object>>): void => {
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text));
    }
  };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$/.test(name))
      .sort();

  const init = (...flags: string[]): Running => sallyportIn({ cwd: folder }, 'init', ...flags);
  const ended = async (code: number, flags: string[]): Promise<string> => {
    const { output, exit } = init(...flags);
    expect([await exit, output.err]).toEqual([code, '']);
    return output.out;
  };
  return {
    sallyportIn,
    folder: () => folder,
    write,
    read,
    files,
    init,
    /** The output of a run that does everything. */
    done: (...flags: string[]) => ended(0, flags),
    /** The output of a run that leaves steps to the user. */
    unfinished: (...flags: string[]) => ended(1, flags),
  };
}
