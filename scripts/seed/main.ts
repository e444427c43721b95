// Writes the types and the JSON schema of seeds. Run by `npm run docs`; a test fails if either is outdated.
import { writeFileSync } from 'node:fs';
import { seedObjects } from './objects.js';
import { schemaFile, seedSchema } from './schema.js';
import { seedTypes, typesFile } from './types.js';

const objects = await seedObjects();
writeFileSync(typesFile, seedTypes(objects));
writeFileSync(schemaFile, seedSchema(objects));
