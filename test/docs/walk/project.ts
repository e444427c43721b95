import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { unpackInto } from '../../package/install.js';

const root = join(import.meta.dirname, '../../..');

/** The folder with the packages that npm would fetch for a project on Next. */
export const packagesOfNext = 'test/frameworks/installed/next/node_modules';

/** The ports of the application and of the emulator. */
export type Ports = Readonly<Record<3000 | 4100, number>>;

/** A command that failed, and its output. */
class CommandFailed extends Error {}

/**
 * The folder and the terminals of a reader who follows a page. The packages that npm would fetch from its registry come from
 * those installed for the tests: a project as `create-next-app` writes it, our package as it is packed, vitest.
 */
export class Project {
  readonly #base = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-walk-')));
  readonly #env: NodeJS.ProcessEnv;
  #folder = join(this.#base, 'home');
  #program: { readonly process: ChildProcess; said: string } | undefined;

  readonly #ports: Ports;

  /** @param ports Which ports are used in place of those that the page names, so that others can be tested at the same time. */
  constructor(ports: Ports) {
    this.#ports = ports;
    const bin = join(this.#base, 'bin');
    mkdirSync(this.#folder);
    mkdirSync(bin);
    // Next needs a later Node than the oldest one that runs the tests.
    symlinkSync(execFileSync('node22', ['-p', 'process.execPath'], { encoding: 'utf8' }).trim(), join(bin, 'node'));
    const { PATH = '', HOME } = process.env;
    this.#env = {
      HOME,
      PATH: [bin, PATH].join(delimiter),
      PORT: `${ports[3000]}`,
      NEXT_TELEMETRY_DISABLED: '1',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    };
  }

  /** A text with the ports of this project. */
  atItsPorts(text: string): string {
    return text
      .replace(
        /\b(localhost|127\.0\.0\.1):(3000|4100)\b/g,
        (_, host, port: '3000' | '4100') => `${host}:${this.#ports[port]}`,
      )
      .replaceAll('npx sallyport dev ', `npx sallyport dev --port ${this.#ports[4100]} `);
  }

  write(file: string, text: string): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Type a command. Returns its output. A command that keeps running returns immediately. */
  async type(command: string): Promise<string> {
    const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
    const [, created] = /^npx create-next-app@latest (\S+) --yes --empty --no-tailwind$/.exec(command) ?? [];
    const [, installed] = /^npm install (?:--save-dev )?(\S+)$/.exec(command) ?? [];
    if (folder) this.#folder = join(this.#folder, folder);
    else if (created) create(join(this.#folder, created));
    else if (installed === 'sallyport') await this.#installSallyport();
    else if (installed === 'vitest') this.#installVitest();
    else if (/^npx sallyport dev\b/.test(command)) this.#start(command);
    else {
      const printed = await this.#run(command);
      const settings = join(this.#folder, '.env.local');
      if (existsSync(settings)) writeFileSync(settings, this.atItsPorts(readFileSync(settings, 'utf8')));
      return printed;
    }
    return '';
  }

  /** Wait until the running program has printed something, and forget that output. */
  async hears(text: string): Promise<void> {
    const program = this.#program;
    if (!program) throw new Error('No program is running.');
    for (;;) {
      const at = program.said.indexOf(text);
      if (at >= 0) {
        program.said = program.said.slice(at + text.length);
        return;
      }
      if (program.process.exitCode !== null) throw new CommandFailed(`It ended: ${program.said}`);
      const late = AbortSignal.timeout(90_000);
      await Promise.race([
        once(program.process.stdout!, 'data'),
        once(program.process.stderr!, 'data'),
        once(program.process, 'exit'),
        once(late, 'abort').then(() => Promise.reject(new CommandFailed(`It said: ${program.said}`))),
      ]);
    }
  }

  /** The output of the running program since the last call. */
  get said(): string {
    return this.#program?.said ?? '';
  }

  /** Press Ctrl+C in the terminal of the program, and wait for its end. */
  async interrupt(): Promise<void> {
    const { process: program } = this.#program ?? {};
    this.#program = undefined;
    if (program?.pid === undefined || program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, 'exit');
    process.kill(-program.pid, 'SIGINT');
    await ended;
  }

  async remove(): Promise<void> {
    await this.interrupt();
    rmSync(this.#base, { recursive: true, force: true });
  }

  #spawn(command: string): ChildProcess {
    return spawn('sh', ['-c', command], {
      cwd: this.#folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  #start(command: string): void {
    const started = { process: this.#spawn(`exec ${command}`), said: '' };
    for (const stream of [started.process.stdout!, started.process.stderr!])
      stream.on('data', (chunk) => {
        started.said += chunk;
      });
    this.#program = started;
  }

  async #run(command: string): Promise<string> {
    const child = this.#spawn(command);
    let printed = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new CommandFailed(`It ended with ${code}: ${printed}`);
    return printed;
  }

  async #installSallyport(): Promise<void> {
    const modules = join(this.#folder, 'node_modules');
    await unpackInto(modules);
    this.#depend('dependencies', 'sallyport', join(modules, 'sallyport'));
  }

  #installVitest(): void {
    const installed = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
    symlinkSync(installed, join(this.#folder, 'node_modules/vitest'));
    symlinkSync('../vitest/vitest.mjs', join(this.#folder, 'node_modules/.bin/vitest'));
    this.#depend('devDependencies', 'vitest', installed);
  }

  /** Add a package to the project's package.json, as npm does. */
  #depend(kind: 'dependencies' | 'devDependencies', name: string, installed: string): void {
    const file = join(this.#folder, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    manifest[kind] = { ...manifest[kind], [name]: `^${version}` };
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

/** Create a project as `create-next-app` does, with the packages that it installs, except those of ESLint. */
function create(folder: string): void {
  const files: Record<string, string> = JSON.parse(
    readFileSync(join(import.meta.dirname, 'create-next-app.json'), 'utf8'),
  );
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const packages = realpathSync(join(root, packagesOfNext));
  try {
    execFileSync('cp', ['-al', packages, join(folder, 'node_modules')], { stdio: 'ignore' });
  } catch {
    // Hard links do not work across disks.
    cpSync(packages, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  }
}
