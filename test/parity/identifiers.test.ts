import { expect, test } from 'vitest';
import { Codec } from '../../src/service/describe/codec.js';
import type { Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { descriptorOf } from '../../src/service/describe/operation.js';
import { idPrefixes, prefixesUnder } from '../../src/service/identifiers.js';
import { operations } from '../../src/service/operations.js';
import {
  decidedPrefixes,
  freeFields,
  freePathParameters,
  specifiedFieldIds,
  specifiedItems,
  specifiedPathIds,
  specifiedPrefixes,
} from '../spec/identifiers.js';

// Compares what the description says about ids with the transcription of the specification, which is independent of it.

const codec = new Codec(dialects.spec);
const all = Object.values(operations);
/** Returns the prefixes of a resource's ids in the transcription. */
const prefixesOf = (resource: string): readonly string[] => [
  ...(resource in specifiedPrefixes ? [specifiedPrefixes[resource]!] : []),
  ...(decidedPrefixes[resource] ?? []),
];

test('the id prefixes are exactly the prefixes defined in the specification and in documented decisions', () => {
  const resources = [...Object.keys(specifiedPrefixes), ...Object.keys(decidedPrefixes)];

  expect(new Set(Object.values(idPrefixes).flat())).toEqual(new Set(resources.flatMap(prefixesOf)));
});

test('every path parameter has the id prefix of a resource, or is an id that callers choose', () => {
  const parameters = all.flatMap(({ path }) =>
    [...path.matchAll(/\/:[a-z_]+/g)].map(({ 0: parameter, index }) => [path.slice(0, index), parameter] as const),
  );
  const described = new Map(parameters.map(([under, parameter]) => [under + parameter, prefixesUnder(under)]));
  const specified = Object.entries(specifiedPathIds).map(([path, resources]) => [path, resources.flatMap(prefixesOf)]);

  expect(Object.fromEntries([...described].filter(([, prefixes]) => prefixes))).toEqual(Object.fromEntries(specified));
  expect([...described].flatMap(([path, prefixes]) => (prefixes ? [] : [path])).sort()).toEqual(
    [...freePathParameters].sort(),
  );
});

test('a field or parameter declares id prefixes if and only if it contains an id', () => {
  const found: string[] = [];
  const visit = (at: string, field: Descriptor, wireName: string): void => {
    if (field.element) visit(at, field.element, wireName);
    for (const [key, inner] of Object.entries(field.model?.shape ?? {}))
      for (const name of codec.wireNames(key, inner)) visit(`${at} ${name}`, inner, name);
    if (field.element || field.model) return;
    const isFree = freeFields.includes(wireName) || freeFields.includes(at);
    const resource = isFree ? undefined : specifiedFieldIds[wireName];
    if (!isFree && resource === undefined && /_id$/.test(wireName)) found.push(`${at} is not specified`);
    const [prefixes, specified] = [
      field.prefixes?.join() ?? 'anything',
      resource ? prefixesOf(resource).join() : 'anything',
    ];
    if (prefixes !== specified) found.push(`${at} begins with ${prefixes}, by the specification with ${specified}`);
  };
  for (const { id, io } of all) for (const part of [io.query, io.body]) if (part) visit(id, descriptorOf(part), '');

  expect(found).toEqual([]);
});

test('a pagination cursor has the same prefix as the ids in the list', () => {
  const lists = all.filter(({ kind }) => kind === 'list');
  const cursors = lists.flatMap(({ id, path }) => (prefixesUnder(path) ? [[id, prefixesUnder(path)]] : []));

  expect(Object.fromEntries(cursors)).toEqual(
    Object.fromEntries(Object.entries(specifiedItems).map(([id, resources]) => [id, resources.flatMap(prefixesOf)])),
  );
});
