import { describe, expect, test } from 'vitest';
import { auditLogEventCreate, auditLogSchema } from '../../src/service/audit-logs.js';
import { authenticationResponse, totpGrant } from '../../src/service/authentication.js';
import { Codec, Mismatch } from '../../src/service/describe/codec.js';
import {
  type AnyModel,
  array,
  integer,
  maybe,
  model,
  nullable,
  opaque,
  part,
  ref,
  string,
  wire,
} from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { emulatedDialects } from '../../src/service/describe/emulated-dialect.js';
import { project as projectedBy } from '../../src/service/describe/project.js';
import { directoryUser } from '../../src/service/directory-sync.js';
import { event } from '../../src/service/events.js';
import { checkResult, resourceType } from '../../src/service/fga.js';
import { authenticationFactor, challengeVerification } from '../../src/service/mfa.js';
import { organization, organizationCreate, organizationUpdate } from '../../src/service/organizations.js';
import { profile } from '../../src/service/sso.js';
import { user } from '../../src/service/users.js';
import { wireOrganization, wireSession, wireUser } from '../servers/wire.js';

const codec = new Codec(emulatedDialects.spec);
const workos = new Codec(dialects.workos);
const decode = (of: AnyModel, value: unknown, by: Codec = codec) =>
  by.decode({ kind: 'model', model: of }, value) as Record<string, unknown>;
const encode = (of: AnyModel, value: unknown, by: Codec = codec) => by.encode({ kind: 'model', model: of }, value);
const project = (of: AnyModel, value: unknown) => projectedBy(codec, { kind: 'model', model: of }, value);

function mismatchOf(of: AnyModel, value: unknown): string {
  try {
    decode(of, value);
  } catch (error) {
    if (error instanceof Mismatch) return `${error.at}: ${error.expected}, ${error.found}`;
    throw error;
  }
  return 'decoded';
}

describe('the codec', () => {
  test('renames the keys of resources at every depth', () => {
    const decoded = decode(
      organization,
      wireOrganization({
        external_id: 'acme-1',
        domains: [
          {
            object: 'organization_domain',
            id: 'org_domain_01',
            organization_id: 'org_01',
            domain: 'acme.test',
            verification_strategy: 'dns',
          },
        ],
      }),
    );

    expect(decoded).toEqual({
      object: 'organization',
      id: 'org_01',
      name: 'Acme',
      allowProfilesOutsideOrganization: false,
      externalId: 'acme-1',
      domains: [
        {
          object: 'organization_domain',
          id: 'org_domain_01',
          organizationId: 'org_01',
          domain: 'acme.test',
          verificationStrategy: 'dns',
        },
      ],
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-02-03T04:05:06.789Z',
    });
  });

  test('renames the keys of request bodies at every depth', () => {
    const encoded = encode(auditLogEventCreate, {
      organizationId: 'org_01',
      event: {
        action: 'invoice.viewed',
        occurredAt: '2026-01-02T03:04:05.678Z',
        actor: { type: 'user', id: 'user_01' },
        targets: [{ type: 'invoice', id: '7', metadata: { paidBy: 'ada' } }],
        context: { location: '203.0.113.9', userAgent: 'curl' },
      },
    });

    expect(encoded).toEqual({
      organization_id: 'org_01',
      event: {
        action: 'invoice.viewed',
        occurred_at: '2026-01-02T03:04:05.678Z',
        actor: { type: 'user', id: 'user_01' },
        targets: [{ type: 'invoice', id: '7', metadata: { paidBy: 'ada' } }],
        context: { location: '203.0.113.9', user_agent: 'curl' },
      },
    });
  });

  test('supports a custom wire name for a field', () => {
    const owner = part({ name: wire('display', string) });

    expect(decode(owner, { display: 'Ada' })).toEqual({ name: 'Ada' });
    expect(encode(owner, { name: 'Ada' })).toEqual({ display: 'Ada' });
  });

  test('leaves metadata keys unchanged in both directions', () => {
    const metadata = { snake_case: 'a', camelCase: 'b', 'with space': 'c', external_id: 'd', createdAt: 'e' };

    expect(decode(organization, wireOrganization({ metadata })).metadata).toEqual(metadata);
    expect(encode(organizationCreate, { name: 'Acme', metadata })).toEqual({ name: 'Acme', metadata });
  });

  test('leaves the attributes from a directory provider unchanged at every depth', () => {
    const rawAttributes = { first_name: 'x', nested_map: { inner_key: [{ deepest_key: null, camelKey: 1 }] } };
    const decoded = decode(directoryUser, {
      ...wireUser(),
      object: 'directory_user',
      directory_id: 'directory_01',
      state: 'active',
      custom_attributes: { cost_center: { sub_unit: 7 } },
      raw_attributes: rawAttributes,
    });

    expect(decoded.rawAttributes).toEqual(rawAttributes);
    expect(decoded.customAttributes).toEqual({ cost_center: { sub_unit: 7 } });
    expect(decoded.firstName).toBe('Ada');
  });

  test('leaves JSON schemas and relations unchanged', () => {
    const jsonSchema = { type: 'object', properties: { invoice_id: { type: 'string' } }, additionalProperties: false };
    const relations = { can_view: { inherit_if: 'any_of', rules: [{ of_type: 'team', with_relation: 'is_member' }] } };

    const schema = decode(auditLogSchema, {
      object: 'audit_log_schema',
      version: 1,
      actor: { metadata: jsonSchema },
      targets: [{ type: 'invoice', metadata: jsonSchema }],
      metadata: jsonSchema,
    });

    expect(schema).toMatchObject({
      actor: { metadata: jsonSchema },
      targets: [{ metadata: jsonSchema }],
      metadata: jsonSchema,
    });
    expect(encode(resourceType, { type: 'report', relations })).toEqual({ type: 'report', relations });
  });

  test('leaves the context of an event unchanged, and decodes the data by event type', () => {
    const context = { client_id: 'client_01', actor: { source: 'api' }, previous_attributes: { last_name: 'B' } };
    const decoded = decode(event, {
      object: 'event',
      id: 'event_01',
      event: 'user.created',
      data: wireUser(),
      created_at: '2026-01-02T03:04:05.678Z',
      context,
    });

    expect(decoded.context).toEqual(context);
    expect(decoded.data).toMatchObject({ firstName: 'Ada', emailVerified: true });
  });

  test('leaves the data of an unknown event type unchanged', () => {
    const data = { first_name: 'Ada', object: 'starship' };
    const envelope = { object: 'event', id: 'event_01', created_at: '2026-01-02T03:04:05.678Z', context: null };

    expect(decode(event, { ...envelope, event: 'starship.launched', data }).data).toEqual(data);
    // `constructor` is a property of every object, but not a type of event.
    expect(decode(event, { ...envelope, event: 'constructor', data }).data).toEqual(data);
  });
});

describe('the codec', () => {
  test('keeps the names of unknown fields in a response', () => {
    const decoded = decode(organization, wireOrganization({ stripe_id: 'cus_1', newThing: { inner_key: [1] } }));

    expect(decoded).toMatchObject({ stripe_id: 'cus_1', newThing: { inner_key: [1] } });
  });

  test('sends unknown fields in a body unchanged', () => {
    expect(encode(organizationCreate, { name: 'Acme', signals_id: 's', externalId: 'x' })).toEqual({
      name: 'Acme',
      signals_id: 's',
      external_id: 'x',
    });
  });

  test('does not let an unknown field replace a known field', () => {
    const decoded = decode(organization, wireOrganization({ externalId: 5, createdAt: 7 }));

    expect(decoded).not.toHaveProperty('externalId');
    expect(decoded.createdAt).toBe('2026-01-02T03:04:05.678Z');
    expect(encode(organizationCreate, { name: 'Acme', externalId: 'ours', external_id: 'theirs' })).toEqual({
      name: 'Acme',
      external_id: 'ours',
    });
  });

  test('accepts an unknown value of an extensible enum', () => {
    const domains = [{ object: 'organization_domain', id: 'd', domain: 'acme.test', state: 'quarantined' }];

    expect(decode(organization, wireOrganization({ domains })).domains).toMatchObject([{ state: 'quarantined' }]);
  });

  test('omits unknown fields from a projection at every depth', () => {
    const projected = project(organization, {
      id: 'org_01',
      name: 'Acme',
      allowProfilesOutsideOrganization: false,
      domains: [{ object: 'organization_domain', id: 'd', domain: 'acme.test', privateNote: 'x' }],
      passwordHash: 'not for others',
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-01-02T03:04:05.678Z',
    });

    expect(projected).toEqual({
      object: 'organization',
      id: 'org_01',
      name: 'Acme',
      allow_profiles_outside_organization: false,
      domains: [{ object: 'organization_domain', id: 'd', domain: 'acme.test' }],
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
    });
  });

  test('omits absent optional fields from a projection, and sets absent nullable fields to null', () => {
    expect(project(part({ nickname: nullable(string), note: maybe(string) }), {})).toEqual({ nickname: null });
  });
});

describe('in the codec,', () => {
  test('an absent optional field stays absent', () => {
    expect(decode(organization, wireOrganization())).not.toHaveProperty('externalId');
  });

  test('null remains null in requests and responses', () => {
    expect(decode(organization, wireOrganization({ external_id: null }))).toHaveProperty('externalId', null);
    expect(encode(organizationUpdate, { externalId: null })).toEqual({ external_id: null });
  });

  test('an absent nullable field is decoded as null', () => {
    const { locale: _, ...withoutLocale } = wireUser();

    expect(decode(user, withoutLocale)).toHaveProperty('locale', null);
  });

  test('an undefined field is omitted from the request body', () => {
    expect(encode(organizationUpdate, { name: undefined, externalId: 'x' })).toEqual({ external_id: 'x' });
  });
});

describe('a missing response field', () => {
  test('is decoded as undefined, or as null if the field is nullable', () => {
    const { object, id, email } = wireUser();

    expect(decode(user, { object, id, email })).toEqual({
      object: 'user',
      id: 'user_01',
      email: 'ada@acme.test',
      firstName: null,
      lastName: null,
      profilePictureUrl: null,
      externalId: null,
      lastSignInAt: null,
      locale: null,
    });
  });

  test('is accepted at every depth unless the field is required', () => {
    const domains = [{ id: 'org_domain_01' }];

    expect(decode(organization, { id: 'org_01', domains })).toEqual({ object: 'organization', id: 'org_01', domains });
  });

  test('named "object" is decoded as the expected resource type', () => {
    expect(decode(organization, wireOrganization({ object: undefined })).object).toBe('organization');
  });
});

describe('decoding a response', () => {
  test.each<[string, AnyModel, object, string]>([
    ['the id', organization, wireOrganization({ id: undefined }), 'id: a string, missing'],
    ['a nested id', organization, wireOrganization({ domains: [{}] }), 'domains[0].id: a string, missing'],
    ["a user's email address", user, wireUser({ email: undefined }), 'email: a string, missing'],
    [
      'the access token',
      authenticationResponse,
      wireSession({ access_token: undefined }),
      'access_token: a string, missing',
    ],
    [
      'the refresh token',
      authenticationResponse,
      wireSession({ refresh_token: undefined }),
      'refresh_token: a string, missing',
    ],
    ['the user who signs in', authenticationResponse, wireSession({ user: undefined }), 'user: an object, missing'],
    ['the result of a challenge', challengeVerification, {}, 'valid: a boolean, missing'],
    ['the result of an access check', checkResult, { warrant_token: 'w' }, 'result: a string, missing'],
    [
      'the connection of a profile',
      profile,
      { id: 'prof_01', email: 'ada@acme.test' },
      'connection_id: a string, missing',
    ],
    ['the type of an event', event, { id: 'event_01', data: {} }, 'event: a string, missing'],
  ])('fails if %s is missing', (_, of, value, expected) => {
    expect(mismatchOf(of, value)).toBe(expected);
  });

  test('reports a wrong resource type rather than a missing field', () => {
    expect(mismatchOf(user, { object: 'organization', id: 'user_01' })).toBe('object: "user", another string');
  });
});

test('metadata values that are not strings are returned unchanged', () => {
  const metadata = { seats: 12, trial: false, plan: null, tags: ['a'], 'owner name': 'Ada' };

  expect(decode(organization, wireOrganization({ metadata })).metadata).toEqual(metadata);
});

test('an authentication factor of an unknown type can be decoded', () => {
  const factor = { id: 'auth_factor_01', type: 'webauthn', webauthn: { key_id: 'k' } };

  expect(decode(authenticationFactor, factor)).toMatchObject(factor);
});

describe('a decoding error', () => {
  test.each([
    ['the id is null', wireOrganization({ id: null }), 'id: a string, null'],
    ['the name is a number', wireOrganization({ name: 5 }), 'name: a string, a number'],
    [
      'a boolean field contains a string',
      wireOrganization({ allow_profiles_outside_organization: 'no' }),
      'allow_profiles_outside_organization: a boolean, a string',
    ],
    ['a list field contains an object', wireOrganization({ domains: {} }), 'domains: an array, an object'],
    ['a list contains null', wireOrganization({ domains: [null] }), 'domains[0]: an object, null'],
    ['the resource type is wrong', wireOrganization({ object: 'user' }), 'object: "organization", another string'],
    ['the metadata is a list', wireOrganization({ metadata: [] }), 'metadata: an object, an array'],
    ['the whole response is a string', 'organization', ': an object, a string'],
    ['the whole response is null', null, ': an object, null'],
    ['the whole response is a list', [], ': an object, an array'],
  ])('gives the path and the received type if %s', (_, value, expected) => {
    expect(mismatchOf(organization, value)).toBe(expected);
  });

  test('gives the complete path of a field in nested lists', () => {
    const good = wireOrganization();
    const domain = { object: 'organization_domain', id: 'd', domain: 'acme.test', state: 7 };
    const page = part({ data: array(ref(organization)) });

    expect(mismatchOf(page, { data: [good, good, good, wireOrganization({ domains: [domain] })] })).toBe(
      'data[3].domains[0].state: a string, a number',
    );
  });

  test('uses the field name from the response, even if the name belongs to a different dialect', () => {
    expect(mismatchOf(organization, wireOrganization({ stripe_customer_id: 5 }))).toBe(
      'stripe_customer_id: a string, a number',
    );
  });

  test('is thrown for a fraction in an integer field', () => {
    expect(mismatchOf(part({ version: integer }), { version: 1.5 })).toBe('version: an integer, a number');
    expect(mismatchOf(part({ version: integer }), { version: 2 })).toBe('decoded');
  });

  test('is thrown for a list or a string in a map field', () => {
    expect(mismatchOf(part({ meta: opaque }), { meta: [] })).toBe('meta: an object, an array');
    expect(mismatchOf(part({ meta: opaque }), { meta: 'x' })).toBe('meta: an object, a string');
    expect(mismatchOf(part({ meta: opaque }), { meta: {} })).toBe('decoded');
  });

  test('does not contain the received value', () => {
    const error = (() => {
      try {
        return decode(organization, wireOrganization({ id: ['sk_test_secret'] }));
      } catch (thrown) {
        return thrown;
      }
    })();

    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });
});

describe('a dialect', () => {
  test('can rename a field, and still accepts the default name', () => {
    expect(decode(organization, wireOrganization({ billing_customer_id: 'cus_1' })).billingCustomerId).toBe('cus_1');
    expect(decode(organization, wireOrganization({ stripe_customer_id: 'cus_1' })).billingCustomerId).toBe('cus_1');
    expect(decode(organization, wireOrganization({ stripe_customer_id: 'cus_1' }), workos).billingCustomerId).toBe(
      'cus_1',
    );
  });

  test('determines the field names in a request body', () => {
    expect(encode(organizationUpdate, { billingCustomerId: 'cus_1' })).toEqual({ billing_customer_id: 'cus_1' });
    expect(encode(organizationUpdate, { billingCustomerId: 'cus_1' }, workos)).toEqual({ stripe_customer_id: 'cus_1' });
    expect(encode(totpGrant, { authenticationChallengeId: 'c' })).toEqual({ authenticationChallengeId: 'c' });
    expect(encode(totpGrant, { authenticationChallengeId: 'c' }, workos)).toEqual({ authentication_challenge_id: 'c' });
  });

  test('can give a field two names, and accepts either name in a response', () => {
    const factor = {
      object: 'authentication_factor',
      id: 'auth_factor_01',
      type: 'totp',
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
    };

    expect(decode(authenticationFactor, { ...factor, userId: 'user_01' }).userId).toBe('user_01');
    expect(decode(authenticationFactor, { ...factor, user_id: 'user_01' }).userId).toBe('user_01');
    expect(decode(authenticationFactor, { ...factor, userId: null, user_id: 'user_01' }).userId).toBe('user_01');
    expect(decode(authenticationFactor, { ...factor, userId: 'user_01', user_id: 'user_01' })).not.toHaveProperty(
      'user_id',
    );
    expect(encode(authenticationFactor, { userId: 'user_01' })).toEqual({ userId: 'user_01' });
    expect(encode(authenticationFactor, { userId: 'user_01' }, workos)).toEqual({
      userId: 'user_01',
      user_id: 'user_01',
    });
  });

  test('can be customized with a renamed field', () => {
    const customCodec = new Codec({ ...dialects.spec, billingField: 'ledger_ref' });

    expect(encode(organizationUpdate, { billingCustomerId: 'x' }, customCodec)).toEqual({ ledger_ref: 'x' });
    expect(decode(organization, wireOrganization({ ledger_ref: 'x' }), customCodec).billingCustomerId).toBe('x');
    expect(decode(organization, wireOrganization({ stripe_customer_id: 'x' }), customCodec).billingCustomerId).toBe(
      'x',
    );
  });
});

describe('the order of fields', () => {
  const inAnyOrder = [
    ['name', 'id', 'domains', 'object', 'updated_at', 'created_at', 'allow_profiles_outside_organization'],
    ['updated_at', 'created_at', 'object', 'name', 'allow_profiles_outside_organization', 'id', 'domains'],
  ].map((keys) => {
    const whole: Record<string, unknown> = wireOrganization();
    return Object.fromEntries(keys.map((key) => [key, whole[key]]));
  });

  test.each(inAnyOrder)('does not affect decoding, and is preserved (permutation %#)', (value) => {
    const decoded = decode(organization, value);

    expect(decoded).toEqual(decode(organization, wireOrganization()));
    expect(Object.keys(decoded).map((key) => key.toLowerCase())).toEqual(
      Object.keys(value).map((key) => key.replaceAll('_', '')),
    );
  });

  test('can differ between the objects of a list', () => {
    const freshCodec = new Codec(dialects.spec);
    const strange = { first: 1, ...inAnyOrder[1], last: 2 };

    expect(
      freshCodec.decode({ kind: 'array', element: { kind: 'model', model: organization } }, [
        ...inAnyOrder,
        strange,
        wireOrganization(),
      ]),
    ).toEqual([
      ...[...inAnyOrder, strange].map((value) => decode(organization, value)),
      decode(organization, wireOrganization()),
    ]);
    expect(decode(organization, strange)).toMatchObject({ first: 1, last: 2 });
  });

  test('does not matter even if one field determines the type of a second field', () => {
    const decoded = decode(event, {
      data: wireUser(),
      event: 'user.created',
      created_at: '2026-01-02T03:04:05.678Z',
      id: 'event_01',
    });
    const wrong = decode(event, { data: {}, event: 'user.created', id: 'event_01' });

    expect(decoded).toMatchObject({ object: 'event', event: 'user.created', data: { firstName: 'Ada' } });
    expect(wrong).toMatchObject({ event: 'unknown', problem: { event: 'user.created' } });
  });
});

test('a model can refer to itself', () => {
  const shape: Record<string, typeof string> = { name: string };
  const tree = model('tree', shape);
  Object.assign(shape, { childTrees: maybe(array(ref(tree))) });

  const leaf = { object: 'tree', name: 'leaf' };
  expect(decode(tree, { object: 'tree', name: 'root', child_trees: [leaf] })).toEqual({
    object: 'tree',
    name: 'root',
    childTrees: [leaf],
  });
});
