import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Build a module of a test as one file for Node that includes the package's sources. Returns the file. */
export async function bundled(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'bundle.mjs');
  await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    alias: { sallyport: join(root, 'src/index.ts') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'silent',
  });
  return outfile;
}

/** The output of a process, and how it ended. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code, or null if it had to be killed. */
  readonly code: number | null;
}

/** Run a module in a separate process, which must end by itself. */
export async function runAlone(
  source: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Ended> {
  const file = await bundled(source);
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, file, ...args],
      { timeout: 45_000, killSignal: 'SIGKILL' },
      (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: error ? (typeof error.code === 'number' ? error.code : null) : 0 }),
    );
  });
}
