import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

const schemas = new URL('../../node_modules/@cyclonedx/cyclonedx-library/res/schema/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.SNAPSHOT.schema.json`, schemas), 'utf8'));

// The schema uses formats for email and web addresses that Ajv does not know. The bill has none of them.
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
for (const part of ['spdx', 'jsf-0.82'])
  ajv.addSchema(read(part), `http://cyclonedx.org/schema/${part}.SNAPSHOT.schema.json`);
const isBill = ajv.compile(read('bom-1.6'));

/** The violations of the schema of CycloneDX 1.6 in a bill of materials. */
export const faultsOfBill = (bill: unknown): string[] =>
  isBill(bill) ? [] : (isBill.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
