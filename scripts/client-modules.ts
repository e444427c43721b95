import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';

/** Minifies whitespace of files that only bundlers read. */
const withoutBlanks = {
  name: 'without-blanks',
  renderChunk: (code: string) => transform(code, { minifyWhitespace: true }),
};

/**
 * Join the chunks that esbuild split the client into. Everything imported at the start becomes one file, and each lazy part
 * imports from it. Called by `tsup` for each platform. Writes ESM and CommonJS, and deletes the chunks.
 */
export async function joinPieces(pieces: string, folder: string): Promise<void> {
  const bundle = await rollup({ input: join(pieces, 'index.js'), external: /^node:/, treeshake: false });
  for (const [format, ending] of [
    ['es', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    await bundle.write({
      dir: folder,
      format,
      entryFileNames: `index.${ending}`,
      // The name of the source file, without the hash of esbuild.
      chunkFileNames: ({ name }) =>
        `${name === 'index' ? 'client' : name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].${ending}`,
      hashCharacters: 'hex',
      esModule: true,
      exports: 'named',
      // Keep the names of shared exports, for readers of these files.
      minifyInternalExports: false,
      hoistTransitiveImports: false,
      generatedCode: 'es2015',
      plugins: format === 'cjs' && folder === 'dist' ? [withoutBlanks] : [],
    });
  }
  await bundle.close();
  rmSync(pieces, { recursive: true });
}
