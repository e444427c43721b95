// Compares the descriptions in src/service with the public description of the service, in OpenAPI. Takes a file or an address:
//
//   npx tsx scripts/drift.ts open-api-spec.yaml
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { isMissing } from '../src/emulator/chain/missing-operations.js';
import { Codec, isObject } from '../src/service/describe/codec.js';
import type { Descriptor } from '../src/service/describe/define.js';
import { dialects } from '../src/service/describe/dialect.js';
import { descriptorOf, type Operation, pathOf } from '../src/service/describe/operation.js';
import { operations } from '../src/service/operations.js';
import { publicStatusOf } from '../src/service/public-statuses.js';
import { isPublic } from './operations-table.js';

type Json = Readonly<Record<string, unknown>>;

const codec = new Codec(dialects.workos);
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const objectAt = (value: unknown, ...path: readonly string[]): Json =>
  path.reduce<Json>((at, name) => (isObject(at[name]) ? at[name] : {}), isObject(value) ? value : {});

/** List what differs between `src/service` and a public description, a line each. */
export function driftFrom(description: unknown): string[] {
  const ours = new Map<string, Operation>();
  for (const operation of Object.values(operations))
    ours.set(keyOf(operation.method, pathOf(operation, dialects.workos).replace(/:\w+/g, ':')), operation);
  const found: string[] = [];
  const public_ = new Set<string>();
  for (const [path, item] of Object.entries(objectAt(description, 'paths')))
    for (const method of methods.filter((one) => one in objectAt(item))) {
      const key = keyOf(method, path.replace(/\{[^}]*\}/g, ':'));
      public_.add(key);
      const operation = ours.get(key);
      if (operation) found.push(...inOperation(operation, objectAt(item, method, 'responses'), description));
      else if (!isMissing(method.toUpperCase(), path)) found.push(`${key} is new`);
    }
  // Others have never been there, such as those of earlier APIs.
  for (const [key, operation] of ours)
    if (isPublic(operation) && !public_.has(key))
      found.push(`${key} (${operation.id}) is not in the public description`);
  return found.sort();
}

const keyOf = (method: string, path: string): string => `${method.toUpperCase()} ${path}`;

function inOperation(operation: Operation, responses: Json, description: unknown): string[] {
  const status = String(publicStatusOf(operation));
  const statuses = Object.keys(responses).filter((one) => /^2/.test(one));
  if (statuses.length > 0 && !statuses.includes(status))
    return [`${operation.id}: the status is ${statuses.join(' or ')}, and not ${status}`];
  const { returns } = operation.io;
  const whole = objectAt(responses, status, 'content', 'application/json', 'schema');
  const fields = propertiesOf(whole, description);
  const isList = operation.kind === 'list' || operation.kind === 'data';
  const inList = isList ? propertiesOf(objectAt(fields.data, 'items'), description) : fields;
  if (!returns || Object.keys(inList).length === 0) return [];
  const { kind, model } = descriptorOf(returns);
  if (kind !== 'model') return [];
  const { fieldPlans } = codec.plan(model!);
  const found: string[] = [];
  for (const [name, schema] of Object.entries(inList)) {
    const types = typesOf(schema, description);
    const plan = fieldPlans.find(({ names }) => names.includes(name));
    if (plan && types.length > 0 && !types.some((type) => isOfType(plan.descriptor, type)))
      found.push(`the type of the field ${name} is ${types.join(' or ')}`);
    else if (!plan && name !== 'object') found.push(`the field ${name} is new`);
  }
  for (const { names, descriptor } of fieldPlans)
    if (!descriptor.optional && !descriptor.nullable && !names.some((name) => name in inList || name === 'object'))
      found.push(`the field ${names[0]} is gone`);
  return found.map((line) => `${operation.id}: ${line}`);
}

/** List the JSON types of a schema, apart from null. Returns none if it does not say. */
function typesOf(schema: unknown, description: unknown): string[] {
  const { $ref, type } = objectAt(schema);
  if (typeof $ref === 'string') return typesOf(objectAt(description, ...$ref.split('/').slice(1)), description);
  return [type ?? []].flat().filter((one): one is string => typeof one === 'string' && one !== 'null');
}

const isOfType = ({ kind }: Descriptor, type: string): boolean =>
  kind === 'unknown' || type === kind || typesByKind[kind]?.includes(type) === true;

const typesByKind: Readonly<Partial<Record<Descriptor['kind'], readonly string[]>>> = {
  constant: ['string'],
  integer: ['number'],
  number: ['integer'],
  map: ['object'],
  model: ['object'],
  tagged: ['object'],
};

/** Collect the properties of a schema, also from those that it refers to. */
function propertiesOf(schema: Json, description: unknown): Json {
  const { $ref } = schema;
  if (typeof $ref === 'string') return propertiesOf(objectAt(description, ...$ref.split('/').slice(1)), description);
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []));
  return Object.assign(
    {},
    ...parts.map((one) => propertiesOf(objectAt(one), description)),
    objectAt(schema, 'properties'),
  );
}

/** Read a description, as YAML or JSON, from a file or an address. @throws It has no paths. */
export async function descriptionAt(place: string): Promise<unknown> {
  const text = /^https?:/.test(place) ? await textAt(place) : readFileSync(place, 'utf8');
  const description: unknown = parse(text);
  if (Object.keys(objectAt(description, 'paths')).length === 0)
    throw new Error(`${place} is not a description in OpenAPI: it has no paths. Pass another file or address.`);
  return description;
}

async function textAt(address: string): Promise<string> {
  const response = await fetch(address);
  if (response.ok) return response.text();
  throw new Error(`${address} answered with status ${response.status}. Pass another file or address.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lines = driftFrom(await descriptionAt(process.argv[2] ?? ''));
  for (const line of lines) console.log(`- ${line}`);
  if (lines.length > 0) process.exitCode = 1;
}
