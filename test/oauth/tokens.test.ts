import { describe, expect, test } from 'vitest';
import { tokensIn } from '../../src/oauth/grant.js';
import { authenticationResponse } from '../../src/service/authentication.js';
import { Codec } from '../../src/service/describe/codec.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { descriptorOf } from '../../src/service/describe/operation.js';

/** A complete response of the service, with unknown fields. */
const wireAnswer = {
  user: {
    object: 'user',
    id: 'user_01',
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: null,
    email_verified: true,
    profile_picture_url: 'https://images.test/ada.png',
    external_id: 'crm-7',
    metadata: { favourite_colour: 'green', snake_case: 'stays' },
    last_sign_in_at: '2026-01-01T00:00:00.000Z',
    locale: 'en-US',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    some_new_field: { inner_name: 1 },
  },
  organization_id: 'org_01',
  access_token: 'a.b.c',
  refresh_token: 'r',
  authkit_authorization_code: 'authkit_authz_code_01',
  impersonator: { email: 'support@acme.test', reason: 'ticket 42' },
  authentication_method: 'Password',
  oauth_tokens: {
    provider: 'GoogleOAuth',
    access_token: 'ga',
    refresh_token: 'gr',
    expires_at: 1_767_225_600,
    scopes: ['email'],
  },
  another_new_field: 'kept',
};

describe('a token response', () => {
  test('is decoded identically by sessions and the client', () => {
    const codec = new Codec(dialects.spec);

    const ours = tokensIn(wireAnswer);

    expect(ours).toEqual(codec.decode(descriptorOf(authenticationResponse), wireAnswer));
    expect(ours?.user).toMatchObject({ firstName: 'Ada', metadata: { snake_case: 'stays' } });
  });

  test('is decoded identically by sessions and the client if fields are missing', () => {
    const codec = new Codec(dialects.spec);
    const { id, email, created_at, updated_at } = wireAnswer.user;
    const sparse = {
      user: { object: 'user', id, email, email_verified: false, created_at, updated_at },
      access_token: 'a.b.c',
      refresh_token: 'r',
    };

    const ours = tokensIn(sparse);

    expect(ours).toEqual(codec.decode(descriptorOf(authenticationResponse), sparse));
    expect(ours).toMatchObject({ organizationId: null, user: { firstName: null, locale: null } });
  });

  test('is decoded identically by sessions and the client if fields are null', () => {
    const codec = new Codec(dialects.spec);
    const { id, email } = wireAnswer.user;
    const user = { object: 'user', id, email, first_name: null, metadata: null, created_at: null, updated_at: null };
    const answer = { ...wireAnswer, user, organization_id: null, impersonator: null, authentication_method: null };

    const ours = tokensIn(answer);

    expect(ours).toEqual(codec.decode(descriptorOf(authenticationResponse), answer));
    expect(ours?.user).toMatchObject({ firstName: null, metadata: null });
    expect(ours?.user).not.toHaveProperty('createdAt');
  });

  test('cannot pollute object prototypes', () => {
    const hostile = JSON.parse(
      `{"__proto__":{"polluted":1},"user":{"id":"u","email":"e","__proto__":{"polluted":1}},"access_token":"a","refresh_token":"r"}`,
    );

    const ours = tokensIn(hostile);

    expect((ours as { polluted?: unknown }).polluted).toBeUndefined();
    expect((ours!.user as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ['null', null],
    ['a string', 'text'],
    ['a list', []],
    ['an empty object', {}],
    ['an object without a user', { ...wireAnswer, user: undefined }],
    ['an object without an email address', { ...wireAnswer, user: { id: 'user_01' } }],
    ['an object with an empty access token', { ...wireAnswer, access_token: '' }],
    ['an object with a number as the refresh token', { ...wireAnswer, refresh_token: 7 }],
  ])('is rejected if it is %s', (_, answer) => {
    expect(tokensIn(answer)).toBeUndefined();
  });
});
