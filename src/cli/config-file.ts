import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from './text-file.js';

/** Remove the comments of a script. An address such as `http://host` is not one. */
function withoutComments(script: string): string {
  const [start = '', ...pieces] = script.split('/*');
  const code = start + pieces.map((piece) => piece.split('*/').slice(1).join('*/')).join('');
  return code.replace(/(?<=^|\s)\/\/.*$/gm, '');
}

/** The extensions of scripts. */
export const scriptExtensions = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs', 'tsx', 'jsx'];

/** Read the first configuration file with one of these names. Returns undefined if there is none. */
export function configIn(folder: string, names: readonly string[]): string | undefined {
  const all = names.flatMap((name) => scriptExtensions.map((extension) => `${name}.${extension}`));
  const file = all.find((name) => existsSync(join(folder, name)));
  return file && withoutComments(readTextFile(join(folder, file), file));
}
