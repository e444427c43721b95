import { rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rollup } from 'rollup';

/**
 * Joins the pieces into which esbuild has split the emulator: what is needed at its start becomes one file, and what is loaded at first
 * use, such as the console, YAML and whatever checks schemas, stays in files of its own, which Node need not read before. All of them are
 * CommonJS: in that form Node reads a large file faster. Called by `tsup`; the pieces are gone afterwards.
 */
export async function joinEmulator(pieces: string): Promise<void> {
  const bundle = await rollup({ input: join(pieces, 'emulator-body.js'), external: isBuiltin, treeshake: false });
  await bundle.write({
    dir: 'dist',
    format: 'cjs',
    entryFileNames: 'emulator-body.cjs',
    chunkFileNames: ({ name }) => `emulator/${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].cjs`,
    hashCharacters: 'hex',
    esModule: true,
    exports: 'named',
    hoistTransitiveImports: false,
    // Jest knows no import in what it requires.
    dynamicImportInCjs: false,
    generatedCode: 'es2015',
  });
  await bundle.close();
  rmSync(pieces, { recursive: true });
}
