import { readFileSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { transform } from 'esbuild';
import { type ManualChunkMeta, rollup } from 'rollup';

/** Removes whitespace from files that only bundlers read. */
const withoutBlanks = {
  name: 'without-blanks',
  renderChunk: (code: string) => transform(code, { minifyWhitespace: true }),
};

/** Get the name of the source file of a chunk, without esbuild's hash. */
const nameOf = (chunk: string): string => basename(chunk, '.js').replace(/-[A-Z0-9]{8}$/, '');

/** The files of `src/client/operations`, in the order in which the client names them. */
const rooms = Array.from(
  readFileSync('src/client/operations.ts', 'utf8').matchAll(/'\.\/operations\/([\w-]+)\.js'/g),
  ([, name]) => name!,
);

/**
 * Create a function that assigns each chunk that only rooms share to the first of them. The first call then loads one chunk of a room
 * instead of four. Node needs half a millisecond for each, and bundlers divide the rooms by themselves.
 */
function firstRoom(start: string) {
  const owners = new Map<string, string | undefined>();
  return (id: string, { getModuleIds, getModuleInfo }: ManualChunkMeta): string | undefined => {
    const own = (chunk: string, room?: string): void => {
      if (owners.has(chunk)) return;
      owners.set(chunk, room);
      for (const next of getModuleInfo(chunk)?.importedIds ?? []) own(next, room);
    };
    own(start);
    for (const room of rooms) for (const chunk of getModuleIds()) if (nameOf(chunk) === room) own(chunk, room);
    return owners.get(id);
  };
}

/**
 * Merge the chunks that esbuild splits the client into. The code that loads at startup becomes one file, and the lazy parts
 * import from it. Writes ESM and CommonJS, and deletes the chunks. Called by `tsup` for each platform.
 */
export async function joinPieces(pieces: string, folder: string): Promise<void> {
  const start = resolve(pieces, 'index.js');
  const bundle = await rollup({ input: start, external: /^node:/, treeshake: false });
  for (const [format, ending] of [
    ['es', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    await bundle.write({
      dir: folder,
      format,
      entryFileNames: `index.${ending}`,
      chunkFileNames: ({ name }) => `${name === 'index' ? 'client' : nameOf(name)}-[hash].${ending}`,
      ...(folder === 'dist/node' && { manualChunks: firstRoom(start), onlyExplicitManualChunks: true }),
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
