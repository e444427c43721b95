// Writes docs/reference: every method, type, error, option, control and seed field of the published types, as Markdown. Writes
// test/types/surface.txt too. Run by `npm run docs`; a test checks that both are up to date.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from '../declarations/published.js';
import { root } from '../declarations/sources.js';
import { surface, surfaceFile } from '../surface.js';
import { reference } from './reference.js';

const folder = join(root, 'docs/reference');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const types = published();
writeFileSync(join(root, surfaceFile), surface(types));
for (const [file, text] of reference(types)) writeFileSync(join(folder, file), text);
