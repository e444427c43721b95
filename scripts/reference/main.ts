// Writes docs/reference: every method, type, error, option, control and seed field of the published types, as Markdown. Run by
// `npm run docs`; a test checks that the pages are up to date.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from '../declarations/published.js';
import { root } from '../declarations/sources.js';
import { reference } from './reference.js';

const folder = join(root, 'docs/reference');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [file, text] of reference(published())) writeFileSync(join(folder, file), text);
