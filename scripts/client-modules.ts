import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';

/** Takes the blanks out of what bundlers alone read. */
const withoutBlanks = {
  name: 'without-blanks',
  renderChunk: (code: string) => transform(code, { minifyWhitespace: true }),
};

/**
 * Joins the many pieces into which esbuild has split the client: what is imported at the start becomes one file, and every part that is
 * loaded later imports from it. Called by `tsup` for each platform; writes both forms of modules, and the pieces are gone afterwards.
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
      // By the name of the source that a part begins with, without the hash that esbuild gave it.
      chunkFileNames: ({ name }) =>
        `${name === 'index' ? 'client' : name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].${ending}`,
      hashCharacters: 'hex',
      esModule: true,
      exports: 'named',
      // Nobody but the files themselves imports what they share, and whoever reads them wants its names.
      minifyInternalExports: false,
      hoistTransitiveImports: false,
      generatedCode: 'es2015',
      plugins: format === 'cjs' && folder === 'dist' ? [withoutBlanks] : [],
    });
  }
  await bundle.close();
  rmSync(pieces, { recursive: true });
}
