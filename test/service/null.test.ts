import { describe, expect, test } from 'vitest';
import { authenticationResponse } from '../../src/service/authentication.js';
import { Codec, Mismatch } from '../../src/service/describe/codec.js';
import type { AnyModel, Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { descriptorOf } from '../../src/service/describe/operation.js';
import { directory, directoryUser } from '../../src/service/directory-sync.js';
import { event } from '../../src/service/events.js';
import { checkResult } from '../../src/service/fga.js';
import { invitation } from '../../src/service/invitations.js';
import { organizationMembership } from '../../src/service/memberships.js';
import { challengeVerification } from '../../src/service/mfa.js';
import { operations } from '../../src/service/operations.js';
import { organization } from '../../src/service/organizations.js';
import { session } from '../../src/service/sessions.js';
import { connection } from '../../src/service/sso.js';
import { user } from '../../src/service/users.js';
import { webhookEndpoint } from '../../src/service/webhooks.js';
import { wireOrganization, wireSession, wireUser } from '../servers/wire.js';

const codec = new Codec(dialects.spec);
const decode = (of: AnyModel, value: unknown) =>
  codec.decode({ kind: 'model', model: of }, value) as Record<string, unknown>;

/** Returns the mismatch of a value, or `decoded`. */
function mismatchOf(of: AnyModel, value: unknown): string {
  try {
    decode(of, value);
  } catch (error) {
    if (error instanceof Mismatch) return `${error.at}: ${error.expected}, ${error.found}`;
    throw error;
  }
  return 'decoded';
}

describe('null in a response', () => {
  test('is treated as a missing value if the field is not nullable', () => {
    const wire = wireOrganization({
      name: null,
      allow_profiles_outside_organization: null,
      domains: null,
      created_at: null,
    });

    const decoded = decode(organization, wire);

    expect(Object.entries(decoded)).toEqual([
      ['object', 'organization'],
      ['id', 'org_01'],
      ['updatedAt', '2026-02-03T04:05:06.789Z'],
    ]);
  });

  test('is treated as a missing value in nested objects', () => {
    const domains = [{ object: null, id: 'org_domain_01', domain: null, state: 'verified' }];

    expect(decode(organization, { id: 'org_01', domains })).toEqual({
      object: 'organization',
      id: 'org_01',
      domains: [{ id: 'org_domain_01', state: 'verified' }],
    });
  });

  test('is treated as a missing value in a field named "object"', () => {
    expect(decode(user, wireUser({ object: null })).object).toBe('user');
  });

  test('is kept if the field is nullable', () => {
    const decoded = decode(user, wireUser({ first_name: null, metadata: null }));

    expect(decoded).toMatchObject({ firstName: null, lastName: null, metadata: null });
  });

  test('does not replace the value under an alternative field name', () => {
    const wire = wireOrganization({ billing_customer_id: null, stripe_customer_id: 'cus_1' });

    expect(decode(organization, wire).billingCustomerId).toBe('cus_1');
  });

  test('is accepted as a timestamp in event data', () => {
    const data = { object: 'user', id: 'user_01', email: 'ada@acme.test', created_at: null, updated_at: null };

    const decoded = decode(event, { object: 'event', id: 'event_01', event: 'user.created', data, created_at: null });

    expect(decoded).toMatchObject({ event: 'user.created', data: { id: 'user_01', email: 'ada@acme.test' } });
    expect(decoded).not.toHaveProperty('problem');
    expect(decoded.data).not.toHaveProperty('createdAt');
  });
});

describe('a response', () => {
  const membership = { id: 'om_01', user_id: 'user_01', organization_id: 'org_01' };
  const about = { id: 'directory_user_01', directory_id: 'directory_01' };

  test.each<[string, AnyModel, object, string]>([
    ['the id', organization, wireOrganization({ id: null }), 'id: a string, null'],
    ['a nested id', organization, wireOrganization({ domains: [{ id: null }] }), 'domains[0].id: a string, null'],
    ['the id of a related object', organizationMembership, { ...membership, user_id: null }, 'user_id: a string, null'],
    ['the access token', authenticationResponse, wireSession({ access_token: null }), 'access_token: a string, null'],
    [
      'the refresh token',
      authenticationResponse,
      wireSession({ refresh_token: null }),
      'refresh_token: a string, null',
    ],
    ['the user who signs in', authenticationResponse, wireSession({ user: null }), 'user: an object, null'],
    ['a signing secret', webhookEndpoint, { id: 'we_01', secret: null }, 'secret: a string, null'],
    ["a user's email address", user, wireUser({ email: null }), 'email: a string, null'],
    [
      'the verification status of an email address',
      user,
      wireUser({ email_verified: null }),
      'email_verified: a boolean, null',
    ],
    ['the status of a membership', organizationMembership, { ...membership, status: null }, 'status: a string, null'],
    ['the state of a connection', connection, { id: 'conn_01', state: null }, 'state: a string, null'],
    ['the state of a directory', directory, { id: 'directory_01', state: null }, 'state: a string, null'],
    ['the state of a directory user', directoryUser, { ...about, state: null }, 'state: a string, null'],
    [
      'the state of an invitation',
      invitation,
      { id: 'invitation_01', token: 't', state: null },
      'state: a string, null',
    ],
    [
      'the status of a session',
      session,
      { id: 'session_01', user_id: 'user_01', status: null },
      'status: a string, null',
    ],
    ['the result of an MFA challenge', challengeVerification, { valid: null }, 'valid: a boolean, null'],
    ['the result of an access check', checkResult, { result: null }, 'result: a string, null'],
    ['an entry of a list', organization, wireOrganization({ domains: [null] }), 'domains[0]: an object, null'],
  ])('is rejected if %s is null', (_, of, value, expected) => {
    expect(mismatchOf(of, value)).toBe(expected);
  });

  test('is accepted if a state or a verification status is missing', () => {
    expect(mismatchOf(connection, { id: 'conn_01' })).toBe('decoded');
    expect(mismatchOf(user, { id: 'user_01', email: 'ada@acme.test' })).toBe('decoded');
  });
});

describe('null in any field of a response', () => {
  /** Returns a value that matches the description. */
  function sampleOf({ kind, constant, element, model }: Descriptor): unknown {
    switch (kind) {
      case 'string':
        return 'text';
      case 'constant':
        return constant;
      case 'boolean':
        return true;
      case 'number':
      case 'integer':
        return 1;
      case 'array':
        return [sampleOf(element!)];
      case 'model':
        return Object.fromEntries(
          Object.entries<Descriptor>(model!.shape).map(([key, field]) => [
            codec.wireNames(key, field)[0],
            sampleOf(field),
          ]),
        );
      default:
        return {};
    }
  }
  const models = new Set<AnyModel>();
  const add = ({ model, element, tag }: Descriptor): void => {
    if (element) add(element);
    for (const field of Object.values(tag?.fields ?? {})) add(field);
    if (!model || models.has(model)) return;
    models.add(model);
    Object.values(model.shape).forEach(add);
  };
  for (const { io } of Object.values(operations)) if (io.returns) add(descriptorOf(io.returns));
  const fields = [...models].flatMap((model) =>
    Object.entries<Descriptor>(model.shape).map(([key, field]) => ({ model, key, field })),
  );

  /** Returns the result of reading a field: `null`, `missing`, or the place of the mismatch. */
  const outcomeOf = (model: AnyModel, value: unknown, key: string): unknown => {
    try {
      const decoded = decode(model, value);
      return { value: decoded[key] ?? null, isPresent: key in decoded };
    } catch (error) {
      if (error instanceof Mismatch) return { at: error.at };
      throw error;
    }
  };

  test('is kept if and only if the field is nullable', () => {
    expect(fields.length).toBeGreaterThan(300);
    for (const { model, key, field } of fields) {
      if (field.kind === 'tagged' || field.kind === 'unknown') continue;
      const names = codec.readNames(key, field);
      const [name = ''] = names;
      const whole = sampleOf({ kind: 'model', model }) as Record<string, unknown>;
      const without = Object.fromEntries(Object.entries(whole).filter(([other]) => !names.includes(other)));

      const outcome = outcomeOf(model, { ...without, [name]: null }, key);

      const isNull = { value: null, isPresent: true };
      const expected = field.nullable ? [isNull] : [outcomeOf(model, without, key), { at: name }];
      expect(expected, `${model.name} ${key}`).toContainEqual(outcome);
    }
  });
});
