// Formats generated files with biome.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const biome = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));

/** Format a text as `npm run format` would format this file. */
export const formatted = (file: URL, text: string): string =>
  execFileSync(biome, ['format', `--stdin-file-path=${fileURLToPath(file)}`], { input: text, encoding: 'utf8' });
