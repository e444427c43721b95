import { rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rollup } from 'rollup';

/**
 * Merge the chunks that esbuild splits the emulator into. The code that loads at startup becomes one file. Lazy parts, such as
 * the console, YAML and the schema validator, stay in separate files. All files are CommonJS, because Node loads large files
 * faster in that format. Deletes the chunks. Called by `tsup`.
 */
export async function joinEmulator(pieces: string): Promise<void> {
  // A bundler that makes one ES module of the emulator leaves no `require` that works.
  const withoutRequire = {
    name: 'without-require',
    renderChunk: (code: string) =>
      code.replace(/\brequire\('([\w:/]+)'\)/g, (call, id: string) =>
        isBuiltin(id) ? `process.getBuiltinModule('${id}')` : call,
      ),
  };
  const bundle = await rollup({
    input: join(pieces, 'emulator-body.js'),
    external: isBuiltin,
    treeshake: false,
    plugins: [withoutRequire],
  });
  await bundle.write({
    dir: 'dist',
    format: 'cjs',
    entryFileNames: 'emulator-body.cjs',
    chunkFileNames: ({ name }) => `emulator/${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].cjs`,
    hashCharacters: 'hex',
    esModule: true,
    exports: 'named',
    hoistTransitiveImports: false,
    // Jest does not support `import()` in required files.
    dynamicImportInCjs: false,
    generatedCode: 'es2015',
  });
  await bundle.close();
  rmSync(pieces, { recursive: true });
}
