// Writes all generated documents, types and tables. Run by `npm run docs`; tests check that they are up to date.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../src/service/operations.js';
import { withComparison } from './comparison-table.js';
import { scriptFile, scriptModule } from './console-script.js';
import { published } from './declarations/published.js';
import { root } from './declarations/sources.js';
import { frameworksPage, pagesWithCode, readFrom } from './frameworks-page.js';
import { withTable } from './frameworks-table.js';
import { llmsIndex } from './llms.js';
import { withMissingFields } from './missing-fields-table.js';
import { operationsTable, withFields } from './operations-table.js';
import { reference } from './reference/reference.js';
import { seedObjects } from './seed/objects.js';
import { schemaFile, seedSchema } from './seed/schema.js';
import { surface, surfaceFile } from './surface.js';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(join(root, file), text);

writeFileSync(schemaFile, seedSchema(seedObjects()));
writeFileSync(scriptFile, scriptModule());

write('docs/operations.md', operationsTable(operations));
write('docs/answers.md', await withMissingFields(read('docs/answers.md')));
write('docs/emulator/run.md', withFields(read('docs/emulator/run.md')));
for (const page of pagesWithCode) write(page, frameworksPage(read(page), readFrom(page)));
write('docs/frameworks/README.md', withTable(read('docs/frameworks/README.md')));
write('README.md', withComparison(read('README.md'), read('bench/README.md')));
write('llms.txt', llmsIndex(read('docs/README.md')));

const types = published();
write(surfaceFile, surface(types));
rmSync(join(root, 'docs/reference'), { recursive: true, force: true });
mkdirSync(join(root, 'docs/reference'), { recursive: true });
for (const [file, text] of reference(types)) write(`docs/reference/${file}`, text);
