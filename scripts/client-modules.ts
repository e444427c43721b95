import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';

/** Removes whitespace from files that only bundlers read. */
const withoutBlanks = {
  name: 'without-blanks',
  renderChunk: (code: string) => transform(code, { minifyWhitespace: true }),
};

/**
 * Merge the chunks that esbuild splits the client into. The code that loads at startup becomes one file, and the lazy parts
 * import from it. Writes ESM and CommonJS, and deletes the chunks. Called by `tsup` for each platform.
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
      // Use the name of the source file, without esbuild's hash.
      chunkFileNames: ({ name }) =>
        `${name === 'index' ? 'client' : name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].${ending}`,
      hashCharacters: 'hex',
      esModule: true,
      exports: 'named',
      // Keep the names of shared exports, so that these files stay readable.
      minifyInternalExports: false,
      hoistTransitiveImports: false,
      generatedCode: 'es2015',
      plugins: format === 'cjs' && folder === 'dist' ? [withoutBlanks] : [],
    });
  }
  await bundle.close();
  rmSync(pieces, { recursive: true });
}
