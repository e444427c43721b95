import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unpackInto } from '../package/install.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The folders with the runners of `test/install`, and with an earlier Vitest. */
export const runners = 'test/testing/runners/node_modules';
export const earlierVitest = 'test/testing/vitest-3/node_modules';

/** A project of examples/testing with the packages of its package.json installed. */
export interface Project {
  readonly folder: string;
  /** Runs a program of its packages; rejects with all output if the program fails. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): void;
}

/** Sets up a project with the packed package and the packages of a folder. */
export async function projectOf(name: string, packages = runners): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), `sallyport-${name}-`));
  cpSync(here(`../../examples/testing/${name}`), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  const installed = here(`../../${packages}`);
  const programs = join(modules, '.bin');
  mkdirSync(programs);
  for (const one of readdirSync(join(installed, '.bin')))
    symlinkSync(join(installed, '.bin', one), join(programs, one));
  for (const one of readdirSync(installed)) if (one !== '.bin') symlinkSync(join(installed, one), join(modules, one));
  await unpackInto(modules, { documents: false });
  return {
    folder,
    async run(program, args, env = {}) {
      const { PATH = '', HOME = '' } = process.env;
      const options = { cwd: folder, env: { PATH: `${programs}:${PATH}`, HOME, NO_COLOR: '1', ...env } };
      try {
        const { stdout, stderr } = await promisify(execFile)(program, [...args], { ...options, maxBuffer: 2 ** 26 });
        return stdout + stderr;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
        throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the versions that an example asks for, and the installed versions. */
export function versionsOf(name: string): Readonly<Record<string, readonly [asked: string, installed: string]>> {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(here(`../../examples/testing/${name}/package.json`), 'utf8'),
  );
  const { dependencies: installed } = JSON.parse(readFileSync(here('runners/package.json'), 'utf8'));
  const asked = Object.entries({ ...dependencies, ...devDependencies }).filter(([one]) => one in installed);
  return Object.fromEntries(asked.map(([one, version]) => [one, [String(version), String(installed[one])]]));
}

/** Returns a free port. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
