// Bundles the script of the console's pages into a text. The text is part of the sources, so that the emulator sends the same script
// from its sources and from the package.
import { buildSync, type Metafile } from 'esbuild';
import { root } from './declarations/sources.js';
import { formatted } from './seed/formatted.js';

/** The file of the text. */
export const scriptFile = new URL('../src/emulator/console/script.ts', import.meta.url);

/** Bundle the script with the libraries that it uses. */
function bundled(): { readonly text: string; readonly metafile: Metafile } {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['src/emulator/console/browser/main.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
  });
  return { text: outputFiles[0]!.text, metafile };
}

/** The files in the script, as esbuild describes a build. */
export const scriptContents = (): Metafile => bundled().metafile;

/** Build the text of the file. */
export const scriptModule = (): string =>
  formatted(
    scriptFile,
    `// Written by \`npm run docs\` from the folder browser. Do not edit by hand.

/** Script of the console's pages. */
export const consoleScript = '${bundled().text.trim().replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}';
`,
  );
