import { describe, expect, test } from 'vitest';
import { Codec, Mismatch } from '../../src/service/describe/codec.js';
import type { AnyModel } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { descriptorOf } from '../../src/service/describe/operation.js';
import { operations } from '../../src/service/operations.js';
import { organization } from '../../src/service/organizations.js';
import { user } from '../../src/service/users.js';
import fc, { runs } from '../runner/property.js';
import { wireOrganization } from '../servers/wire.js';

const codec = new Codec(dialects.spec);
const of = (model: AnyModel) => ({ kind: 'model', model }) as const;

/** Everything that the service may answer, by operation. */
const answers = Object.values(operations).flatMap(({ id, io }) =>
  io.returns ? [[id, descriptorOf(io.returns)] as const] : [],
);

describe('keys such as __proto__ and constructor', () => {
  const hostile =
    '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}, "prototype": {"polluted": "yes"}}';
  const names = ['__proto__', 'constructor', 'prototype'];
  /** Builds a received body: JSON.parse makes `__proto__` a normal key. */
  const arrived = (changes: Record<string, unknown>) =>
    JSON.parse(
      JSON.stringify(wireOrganization(changes))
        .replace(/^\{/, `${hostile.slice(0, -1)}, `)
        .replaceAll('"HOSTILE"', hostile),
    );
  const prototypesIn = (value: unknown): unknown[] =>
    typeof value !== 'object' || value === null
      ? []
      : [Object.getPrototypeOf(value), ...Object.keys(value).flatMap((key) => prototypesIn(Reflect.get(value, key)))];

  test('cannot change a prototype at any depth of a response', () => {
    const decoded = codec.decode(of(organization), arrived({ domains: [], unknown_field: 'HOSTILE' }));

    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(decoded).not.toHaveProperty('polluted');
    expect(prototypesIn(decoded).every((one) => one === Object.prototype || one === Array.prototype)).toBe(true);
    expect({}).not.toHaveProperty('polluted');
  });

  test("are kept in labels and in a provider's data", () => {
    const { metadata } = codec.decode(of(organization), arrived({ metadata: 'HOSTILE' })) as { metadata: object };
    const map = codec.decode({ kind: 'map' }, JSON.parse(hostile)) as object;

    for (const one of [metadata, map]) {
      expect(Object.keys(one)).toEqual(names);
      expect(Object.getPrototypeOf(one)).toBe(Object.prototype);
    }
  });

  test('cannot change a prototype in a request body', () => {
    const encoded = codec.encode(of(organization), JSON.parse(hostile)) as object;

    expect(Object.getPrototypeOf(encoded)).toBe(Object.prototype);
    expect(Object.keys(encoded)).toEqual(['constructor', 'prototype']);
  });
});

describe('the codec', () => {
  const text = fc.string({ unit: 'grapheme' });
  const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
  const labels = fc.dictionary(text, text).filter((map) => !Object.hasOwn(map, '__proto__'));
  /** A generator of objects with some of these fields. */
  const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) => fc.record(fields, { requiredKeys: [] });

  const anyUser = fc
    .tuple(
      fc.record({
        object: fc.constant('user'),
        id: text,
        email: text,
        firstName: orNull(text),
        lastName: orNull(text),
        emailVerified: fc.boolean(),
        profilePictureUrl: orNull(text),
        externalId: orNull(text),
        lastSignInAt: orNull(text),
        locale: orNull(text),
        createdAt: text,
        updatedAt: text,
      }),
      some({ metadata: orNull(labels), a_new_field: fc.jsonValue() }),
    )
    .map(([always, sometimes]) => ({ ...always, ...sometimes }));
  const anyDomain = fc
    .tuple(
      fc.record({
        object: fc.constantFrom('organization_domain', 'connection_domain', 'another'),
        id: text,
        domain: text,
      }),
      some({
        organizationId: orNull(text),
        state: orNull(text),
        verificationStrategy: orNull(text),
        verificationToken: orNull(text),
      }),
    )
    .map(([always, sometimes]) => ({ ...always, ...sometimes }));
  const anyOrganization = fc
    .tuple(
      fc.record({
        object: fc.constant('organization'),
        id: text,
        name: text,
        allowProfilesOutsideOrganization: fc.boolean(),
        domains: fc.array(anyDomain),
        createdAt: text,
        updatedAt: text,
      }),
      some({
        billingCustomerId: orNull(text),
        externalId: orNull(text),
        metadata: orNull(labels),
        a_new_field: fc.jsonValue(),
      }),
    )
    .map(([always, sometimes]) => ({ ...always, ...sometimes }));

  test.each([
    ['user', user, anyUser],
    ['organization', organization, anyOrganization],
  ])('encodes and decodes any %s without changes in every dialect', (_, model, arbitrary) => {
    for (const dialect of [dialects.spec, dialects.workos]) {
      const both = new Codec(dialect);
      fc.assert(
        fc.property(arbitrary as fc.Arbitrary<object>, (value) => {
          const onTheWire = JSON.parse(JSON.stringify(both.encode(of(model), value)));

          expect(both.decode(of(model), onTheWire)).toEqual(JSON.parse(JSON.stringify(value)));
        }),
        { numRuns: 150 },
      );
    }
  });

  test('decodes any JSON value or throws a Mismatch', () => {
    const everything = answers.map(([, descriptor]) => descriptor);

    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...everything), (json, descriptor) => {
        try {
          codec.decode(descriptor, json);
        } catch (error) {
          expect(error).toBeInstanceOf(Mismatch);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('decodes a response with one replaced field, or throws a Mismatch that names the field', () => {
    const right = wireOrganization({ external_id: null, metadata: { tier: 'gold' } });

    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(right)), fc.jsonValue(), (field, json) => {
        try {
          codec.decode(of(organization), { ...right, [field]: json });
        } catch (error) {
          expect(error).toBeInstanceOf(Mismatch);
          expect((error as Mismatch).path[0]).toBe(field);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});
