import { inspect } from 'node:util';
import {
  ApiError,
  BadRequestError,
  ForbiddenError,
  SallyportError,
  SignInStepError,
  UnprocessableError,
} from 'sallyport';
import type { SignInStep } from 'sallyport/session';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { clientOf, failureOf, serve } from '../servers/server.js';
import { wireUser } from '../servers/wire.js';

/** The error of a sign-in that fails. */
async function signInFails(status: number, body: unknown, password = 'p'): Promise<unknown> {
  const server = await serve({ status, body });
  const { userManagement } = clientOf(server, { maxRetries: 0 });
  return failureOf(userManagement.authenticateWithPassword({ email: 'ada@acme.test', password }));
}

const pending_authentication_token = 'pending-0815';
const bodies = {
  organization_selection_required: {
    code: 'organization_selection_required',
    message: 'Choose.',
    pending_authentication_token,
    organizations: [
      { id: 'org_01', name: 'Acme' },
      { id: 'org_02', name: 'Bolt' },
    ],
    user: wireUser(),
  },
  sso_required: {
    error: 'sso_required',
    error_description: 'Use SSO.',
    email: 'ada@acme.test',
    connection_ids: ['conn_01', 'conn_02'],
    pending_authentication_token: null,
  },
  organization_authentication_methods_required: {
    error: 'organization_authentication_methods_required',
    error_description: 'Not this way.',
    email: 'ada@acme.test',
    sso_connection_ids: ['conn_01'],
    auth_methods: {
      google_oauth: true,
      github_oauth: false,
      microsoft_oauth: false,
      magic_auth: true,
      password: false,
    },
  },
  email_verification_required: {
    code: 'email_verification_required',
    message: 'Verify.',
    pending_authentication_token,
    email: 'ada@acme.test',
    email_verification_id: 'email_verification_01',
  },
  mfa_challenge: {
    code: 'mfa_challenge',
    message: 'Second factor.',
    pending_authentication_token,
    authentication_factors: [{ id: 'auth_factor_01', type: 'totp' }],
    user: wireUser(),
  },
  mfa_enrollment: { code: 'mfa_enrollment', message: 'Enroll.', pending_authentication_token, user: wireUser() },
} as const;
type Name = keyof typeof bodies;
const names = Object.keys(bodies) as Name[];
const tokens = {
  organization_selection_required: 'pending-0815',
  sso_required: null,
  organization_authentication_methods_required: undefined,
  email_verification_required: 'pending-0815',
  mfa_challenge: 'pending-0815',
  mfa_enrollment: 'pending-0815',
};

describe('a sign-in step', () => {
  test.each(names.flatMap((name) => [400, 401, 403, 422, 500].map((status) => [name, status] as const)))(
    'named %s is recognized in a response with status code %s',
    async (name, status) => {
      const error = await signInFails(status, bodies[name]);

      expect(error).toBeInstanceOf(SignInStepError);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(SallyportError);
      expect(error).toMatchObject({
        name: 'SignInStepError',
        code: name,
        status,
        serviceCode: name,
        requestId: 'req_42',
      });
      expect((error as { pendingAuthenticationToken?: unknown }).pendingAuthenticationToken).toBe(tokens[name]);
    },
  );

  test.each(names)('named %s is recognized in the code field or the error field of a response', async (name) => {
    const { code: _, error: __, ...rest } = bodies[name] as Record<string, unknown>;

    expect(await signInFails(403, { ...rest, code: name })).toBeInstanceOf(SignInStepError);
    expect(await signInFails(400, { ...rest, error: name })).toBeInstanceOf(SignInStepError);
    expect(await signInFails(400, { ...rest, code: 'sign_in_refused', error: name })).toBeInstanceOf(SignInStepError);
  });

  test.each([
    ['challenge', 'mfa_challenge'],
    ['organization', 'organization_selection_required'],
  ] as const)('is recognized even if the password "%s" is part of the code %s', async (password, name) => {
    expect(await signInFails(403, bodies[name], password)).toBeInstanceOf(SignInStepError);
  });

  test('for choosing an organization lists the organizations', async () => {
    const error = (await signInFails(
      403,
      bodies.organization_selection_required,
    )) as SignInStepError<'organization_selection_required'>;

    expect(error.step.organizations).toEqual([
      { id: 'org_01', name: 'Acme' },
      { id: 'org_02', name: 'Bolt' },
    ]);
    expect(error.message).toContain('authenticateWithOrganizationSelection');
  });

  test('for SSO lists the connections, and contains a pending token if the service sends a token', async () => {
    const error = (await signInFails(400, bodies.sso_required)) as SignInStepError<'sso_required'>;
    const withToken = await signInFails(400, { ...bodies.sso_required, pending_authentication_token });
    const { pending_authentication_token: _, ...without } = bodies.sso_required;

    expect(error.step.connectionIds).toEqual(['conn_01', 'conn_02']);
    expect((withToken as SignInStepError<'sso_required'>).pendingAuthenticationToken).toBe('pending-0815');
    expect(
      ((await signInFails(400, without)) as SignInStepError<'sso_required'>).pendingAuthenticationToken,
    ).toBeNull();
  });

  test('for a required sign-in method states which methods are allowed', async () => {
    const body = bodies.organization_authentication_methods_required;
    const error = (await signInFails(403, body)) as SignInStepError<'organization_authentication_methods_required'>;

    expect(error.step.authMethods).toEqual({
      google_oauth: true,
      github_oauth: false,
      microsoft_oauth: false,
      magic_auth: true,
      password: false,
    });
    expect(error.step.ssoConnectionIds).toEqual(['conn_01']);
  });

  test('for verifying an email address contains the address', async () => {
    const error = (await signInFails(
      403,
      bodies.email_verification_required,
    )) as SignInStepError<'email_verification_required'>;

    expect(error.step.email).toBe('ada@acme.test');
  });

  test('for a second factor contains the factors, or an existing challenge', async () => {
    const challenge = {
      object: 'authentication_challenge',
      id: 'auth_challenge_01',
      authentication_factor_id: 'auth_factor_01',
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
    };
    const { authentication_factors: _, user: __, ...short } = bodies.mfa_challenge;
    const error = (await signInFails(403, bodies.mfa_challenge)) as SignInStepError<'mfa_challenge'>;
    const made = (await signInFails(403, {
      ...short,
      authentication_challenge: challenge,
    })) as SignInStepError<'mfa_challenge'>;

    expect(error.step.authenticationFactors).toEqual([{ id: 'auth_factor_01', type: 'totp' }]);
    expect(error.step.authenticationChallengeId).toBeNull();
    expect(made.step.authenticationFactors).toEqual([]);
    expect(made.step.authenticationChallengeId).toBe('auth_challenge_01');
  });

  test.each<[Name, SignInStep]>([
    [
      'organization_selection_required',
      {
        reason: 'organization_selection_required',
        pendingAuthenticationToken: 'pending-0815',
        organizations: [
          { id: 'org_01', name: 'Acme' },
          { id: 'org_02', name: 'Bolt' },
        ],
      },
    ],
    [
      'sso_required',
      { reason: 'sso_required', pendingAuthenticationToken: null, connectionIds: ['conn_01', 'conn_02'] },
    ],
    [
      'organization_authentication_methods_required',
      {
        reason: 'organization_authentication_methods_required',
        ssoConnectionIds: ['conn_01'],
        authMethods: {
          google_oauth: true,
          github_oauth: false,
          microsoft_oauth: false,
          magic_auth: true,
          password: false,
        },
      },
    ],
    [
      'email_verification_required',
      {
        reason: 'email_verification_required',
        pendingAuthenticationToken: 'pending-0815',
        email: 'ada@acme.test',
      },
    ],
    [
      'mfa_challenge',
      {
        reason: 'mfa_challenge',
        pendingAuthenticationToken: 'pending-0815',
        authenticationFactors: [{ id: 'auth_factor_01', type: 'totp' }],
        authenticationChallengeId: null,
      },
    ],
    ['mfa_enrollment', { reason: 'mfa_enrollment', pendingAuthenticationToken: 'pending-0815', userId: 'user_01' }],
  ])('named %s has the same fields as the step that finishSignIn() returns', async (name, step) => {
    const error = await signInFails(403, bodies[name]);

    expect(error instanceof SignInStepError && error.step).toEqual(step);
  });

  test('has a reason that narrows its TypeScript type', async () => {
    const error = await signInFails(403, bodies.mfa_challenge);

    if (!(error instanceof SignInStepError)) throw error;
    const { step } = error;
    expectTypeOf(step).toEqualTypeOf<SignInStep>();
    expect(step.reason === 'mfa_challenge' && step.authenticationFactors[0]?.id).toBe('auth_factor_01');
  });

  test.each(names)('named %s is printed without its token and user', async (name) => {
    const error = await signInFails(403, { ...bodies[name], pending_authentication_token });
    const printed = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error) + String(error);

    expect(printed).not.toMatch(/pending-0815|Ada|ada@acme/);
  });
});

describe('an error response that resembles a sign-in step', () => {
  test.each<[string, unknown]>([
    ['no token', { code: 'mfa_enrollment' }],
    ['an empty token', { ...bodies.mfa_enrollment, pending_authentication_token: '' }],
    ['a token that is not a string', { ...bodies.mfa_challenge, pending_authentication_token: 7 }],
    ['no connections', { error: 'sso_required' }],
    [
      'methods that are not a map',
      { ...bodies.organization_authentication_methods_required, auth_methods: ['password'] },
    ],
  ])('but has %s results in the usual error for its status code', async (_, body) => {
    const refused = await signInFails(403, body);
    const unprocessable = await signInFails(422, body);

    expect(refused).toBeInstanceOf(ForbiddenError);
    expect(refused).toMatchObject({ code: 'forbidden', body });
    expect(names).toContain((refused as ForbiddenError).serviceCode);
    expect(unprocessable).toBeInstanceOf(UnprocessableError);
  });

  test.each([
    ['the code "constructor"', 'constructor'],
    ['the code "__proto__"', '__proto__'],
    ['the code "toString"', 'toString'],
    ['the code "Sso_Required"', 'Sso_Required'],
    ['an empty code', ''],
  ])('but has %s results in the usual error for its status code', async (_form, code) => {
    expect(await signInFails(400, { code })).toBeInstanceOf(BadRequestError);
  });
});
