// Writes what an editor knows of seeds: their types and their JSON schema. Run by `npm run docs`; a test fails when either is
// behind.
import { writeFileSync } from 'node:fs';
import { seedObjects } from './objects.js';
import { schemaFile, seedSchema } from './schema.js';
import { seedTypes, typesFile } from './types.js';

const objects = await seedObjects();
writeFileSync(typesFile, seedTypes(objects));
writeFileSync(schemaFile, seedSchema(objects));
