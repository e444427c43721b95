import { describe, expect, test } from 'vitest';
import { Codec } from '../../src/service/describe/codec.js';
import type { AnyModel, Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { camelCase, descriptorOf, type Operation } from '../../src/service/describe/operation.js';
import { eventNames, webhookEventNames } from '../../src/service/events/names.js';
import * as flowErrors from '../../src/service/flow-errors.js';
import { operations } from '../../src/service/operations.js';
import { publicStatusOf } from '../../src/service/public-statuses.js';
import { decidedFields } from '../spec/decided-fields.js';
import { specifiedEvents } from '../spec/events.js';
import type { SpecifiedResource } from '../spec/format.js';
import { decidedQuery, specifiedOperations } from '../spec/operations.js';
import { resources, flowErrors as specifiedFlowErrors } from '../spec/resources.js';

// Compares the description with the transcription of the specification, which is independent of it.

const codec = new Codec(dialects.spec);
const described = (id: string): Operation => {
  const operation = operations[id];
  if (!operation) throw new Error(`no operation is called ${id}`);
  return operation;
};

/** Wire names of a body or query: a nested field has its whole path, a map has one name. */
function wirePaths(field: Descriptor, at = ''): string[] {
  if (field.kind === 'array' && field.element!.kind === 'model') return wirePaths(field.element!, `${at}[]`);
  if (field.kind !== 'model') return [at];
  return Object.entries(field.model!.shape).flatMap(([key, inner]) =>
    codec.wireNames(key, inner).flatMap((name) => wirePaths(inner, at ? `${at}.${name}` : name)),
  );
}

/** What the description adds to the specification, each by a decision; `may` in the words of the transcription. */
const decidedBody: Readonly<Record<string, readonly string[]>> = {
  'userManagement.authenticateWithCode': ['invitation_token'],
  'userManagement.authenticateWithPassword': ['invitation_token'],
  'userManagement.authenticateWithMagicAuth': ['invitation_token'],
  // D-141
  'users.create': ['name'],
  'users.update': ['name'],
  'users.enrollAuthFactor': ['totp_secret'],
  'organizationMemberships.create': ['role_slugs'],
  'organizationMemberships.update': ['role_slugs'],
  'auditLogs.createExport': ['actor_ids'],
};

const listParameters = { false: [], true: ['limit', 'order', 'before', 'after'], cursor: ['limit', 'after'] } as const;

describe.each(specifiedOperations.map((row) => [row.id, row] as const))('the %s operation', (id, row) => {
  test('has the HTTP method, path, client method and authentication defined in the specification', () => {
    const operation = described(id);

    expect({
      method: operation.method,
      path: operation.path,
      client: operation.client,
      auth: operation.io.auth ?? 'api_key',
      deprecated: operation.io.deprecated ?? false,
      earlier: operation.io.earlier ?? false,
      extension: operation.io.extension ?? false,
    }).toEqual({
      method: row.method,
      path: row.path,
      client: row.client,
      auth: row.auth,
      deprecated: row.deprecated ?? false,
      earlier: row.earlier ?? false,
      extension: false,
    });
  });

  test('declares the status code that the specification defines for each dialect', () => {
    const { io } = described(id);

    expect({ spec: io.status ?? 200, public: publicStatusOf(described(id)) }).toEqual(row.status);
  });

  test('accepts the query parameters and body fields defined in the specification', () => {
    const { io, kind } = described(id);
    const query = io.query ? wirePaths(descriptorOf(io.query)) : [];
    const body = io.body ? wirePaths(descriptorOf(io.body)) : null;

    const may = (names: readonly string[] | null, more: readonly string[] = []) =>
      names?.filter((name) => !more.includes(name)).sort() ?? null;
    expect(may(query, decidedQuery[id])).toEqual([...row.query].sort());
    expect(may(body, decidedBody[id])).toEqual(row.body && [...row.body].sort());
    expect(kind === 'list' ? listParameters[io.forwardOnly ? 'cursor' : 'true'] : []).toEqual(
      listParameters[String(row.list) as keyof typeof listParameters],
    );
  });

  test('has the result type defined in the specification', () => {
    const { io, kind } = described(id);

    expect(kind).toBe(row.returns.kind === 'empty' ? 'nothing' : row.returns.kind);
    if ('resource' in row.returns) expect(differences(io.returns!, row.returns.resource)).toEqual([]);
  });
});

test('every operation that is not marked as an extension is in the specification', () => {
  const unnamed = Object.values(operations).filter(({ id }) => !specifiedOperations.some((row) => row.id === id));

  expect(unnamed.filter(({ io }) => !io.extension).map(({ id }) => id)).toEqual([]);
  expect(specifiedOperations).toHaveLength(101);
});

test('the list of event types and the list of webhook event types match the specification', () => {
  expect([...eventNames].sort()).toEqual(specifiedEvents.map(({ name }) => name).sort());
  expect([...webhookEventNames].sort()).toEqual(
    specifiedEvents
      .filter(({ webhook }) => webhook)
      .map(({ name }) => name)
      .sort(),
  );
});

test.each(Object.keys(specifiedFlowErrors))(
  'the body of the %s error has the fields defined in the specification',
  (name) => {
    // Each body is described by its name.
    const model = Reflect.get(flowErrors, camelCase(name)) as AnyModel;

    expect(fieldDifferences(model, specifiedFlowErrors[name]!, name)).toEqual([]);
  },
);

test('the comparison of a description with the specification reports missing, additional and differently typed fields', () => {
  const specified: SpecifiedResource = { id: 'string', missing: 'string', count: 'integer' };
  const model: AnyModel = {
    name: null,
    shape: { id: operationField('string'), count: operationField('string'), surplus: operationField('string') },
  };

  expect(fieldDifferences(model, specified, 'thing')).toEqual([
    'thing.missing is not described',
    'thing.count is described as string and specified as integer',
    'thing.surplus is not specified',
  ]);
});

// The symbols of a field exist only for the type checker.
const operationField = (kind: Descriptor['kind']) => ({ kind }) as AnyModel['shape'][string];

function differences(returns: NonNullable<Operation['io']['returns']>, resource: string): string[] {
  const descriptor = descriptorOf(returns);
  const item = descriptor.kind === 'array' ? descriptor.element! : descriptor;
  if (!item.model) return [`${resource} is described as ${item.kind}`];
  const specified = resources[resource];
  return specified ? fieldDifferences(item.model, specified, resource) : [`${resource} is not specified`];
}

function fieldDifferences(model: AnyModel, specified: SpecifiedResource, name: string, seen: string[] = []): string[] {
  if (seen.includes(name)) return [];
  const decided = decidedFields[name] ?? {};
  const fields = new Map<string, Descriptor>();
  if (model.name !== null) fields.set('object', { kind: 'constant', constant: model.name });
  for (const [key, field] of Object.entries(model.shape))
    for (const wireName of codec.wireNames(key, field)) fields.set(wireName, field);
  const found: string[] = [];
  for (const [field, words] of Object.entries(specified)) {
    const descriptor = fields.get(field);
    if (!descriptor) found.push(`${name}.${field} is not described`);
    else found.push(...typeDifference(descriptor, words, `${name}.${field}`, [...seen, name]));
  }
  for (const [field, descriptor] of fields) {
    if (field in specified) continue;
    const words = decided[field];
    if (words === undefined) found.push(`${name}.${field} is not specified`);
    else found.push(...typeDifference(descriptor, words, `${name}.${field}`, [...seen, name]));
  }
  return found;
}

/** The meaning of a word in the transcription, checked in the description; a described field may always be laxer. */
function typeDifference(field: Descriptor, words: string, at: string, seen: string[]): string[] {
  const word = words.replace(/\|null$/, '').replace(/\?$/, '');
  const differs = (is: string) => [`${at} is described as ${is} and specified as ${word}`];
  if (words.includes('?') && !field.optional && !field.nullable)
    return [`${at} may be absent and is described as always there`];
  if (words.endsWith('|null') && !field.nullable) return [`${at} may be null and is not described as such`];
  if (word.endsWith('[]')) {
    if (field.kind !== 'array') return differs(field.kind);
    return typeDifference(field.element!, word.slice(0, -2), `${at}[]`, seen);
  }
  switch (word) {
    case 'string':
      return field.kind === 'string' || field.kind === 'constant' ? [] : differs(field.kind);
    case 'timestamp':
      return field.kind === 'string' && field.format === 'timestamp' ? [] : differs(field.kind);
    case 'boolean':
    case 'integer':
      return field.kind === word ? [] : differs(field.kind);
    case 'labels':
      return field.kind === 'map' && field.values?.join() === 'string' ? [] : differs(field.kind);
    case 'object':
      // An object with unspecified content is a map, or a model of its known fields.
      return field.kind === 'map' || field.kind === 'tagged' || field.kind === 'model' ? [] : differs(field.kind);
    default: {
      const specified = resources[word];
      if (!specified) return [`${at} is specified as ${word}, which is nothing`];
      return field.model ? fieldDifferences(field.model, specified, word, seen) : differs(field.kind);
    }
  }
}
