import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

/** A program as a bundler packs it. */
export interface Bundle {
  readonly code: string;
  /** Bytes after gzip, as a server sends them. */
  readonly gzipped: number;
  /** Every file with code in the bundle, from the root of the repository. */
  readonly files: readonly string[];
  /** The minified bytes of each of these files, largest first. */
  readonly bytes: readonly (readonly [file: string, size: number])[];
}

/** Leaves out files that are loaded at first use, like a bundler that keeps them separate. */
const leavingOut = (apart: RegExp): Plugin => ({
  name: 'leaving-out',
  setup({ onResolve }) {
    onResolve({ filter: apart }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
});

/**
 * Packs a program into one minified file, the way the bundler of a web application or of a server does; without what is imported
 * dynamically and has a path like `apart`.
 */
export async function bundle(
  program: string,
  folder: string,
  apart?: RegExp,
  platform: 'browser' | 'node' = 'browser',
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    target: 'es2022',
    write: false,
    metafile: true,
    // Packages that the application has anyway do not count.
    external: ['react', 'next/*'],
    logLevel: 'silent',
    plugins: apart ? [leavingOut(apart)] : [],
  });
  // The compiler settings of this project add it to every file that is loaded later. The published modules do not have it.
  const code = outputFiles[0]!.text.replaceAll('"use strict";', '');
  const bytes = Object.entries(Object.values(metafile.outputs)[0]!.inputs)
    .map(([file, { bytesInOutput }]) => [file, bytesInOutput] as const)
    .filter(([, size]) => size > 0)
    .sort(([, one], [, other]) => other - one);
  return {
    code,
    gzipped: gzipSync(code, { level: 9 }).length,
    files: bytes.map(([file]) => file),
    bytes,
  };
}
