// Writes the published types into dist: the declarations of the sources, flattened into plain interfaces. Each folder of src has
// one file, and each entry has a file that re-exports from them. Run by `npm run build`, after tsup.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from './published.js';
import { root } from './sources.js';

mkdirSync(join(root, 'dist/types'), { recursive: true });
for (const [file, text] of published()) writeFileSync(join(root, 'dist', file), text);
