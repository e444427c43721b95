import { inspect } from 'node:util';
import { ApiError, SignInStepError } from 'sallyport';
import type { SignInStep } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { requestTokens } from '../../src/oauth/grant.js';
import { signInStepIn } from '../../src/oauth/step.js';
import fc, { runs } from '../runner/property.js';
import { clientWith, failureOf } from '../servers/server.js';
import { completeRows, pending_authentication_token, pendingRows, tokenlessRows } from './pending-bodies.js';

const answering = (status: number, body: unknown) => async () => Response.json(body, { status });

/** The error of the client. */
const errorOf = (status: number, body: unknown): Promise<unknown> =>
  failureOf(
    clientWith(answering(status, body), { maxRetries: 0 }).userManagement.authenticateWithPassword({
      email: 'ada@acme.test',
      password: 'correct horse',
    }),
  );

/** The step that sessions read. */
async function stepOf(status: number, body: unknown): Promise<SignInStep | undefined> {
  const outcome = await requestTokens(
    { baseUrl: 'https://api.acme.test', clientId: 'client_01' },
    { grantType: 'authorization_code', code: 'c', codeVerifier: 'v' },
    {
      idempotencyKey: undefined,
      timeoutMs: 5_000,
      fetch: answering(status, body),
      json: (response) => response.json(),
    },
  );
  return outcome.status === 'ended' ? signInStepIn(outcome.reason, outcome.body, outcome.serviceCode) : undefined;
}

describe('if the response contains a pending token,', () => {
  test.each(pendingRows)('the client throws a SignInStepError for %s', async (_, status, body, code, serviceCode) => {
    const error = await errorOf(status, body);

    expect(error).toBeInstanceOf(SignInStepError);
    expect(error).toMatchObject({ name: 'SignInStepError', code, status, serviceCode, body });
    if (!(error instanceof SignInStepError)) return;
    expect(error.pendingAuthenticationToken).toBe('pending-0815');
    expect(error.step).toMatchObject({ reason: code, pendingAuthenticationToken: 'pending-0815' });
    expect(inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)).not.toMatch(
      /pending-0815|Ada|ada@/,
    );
  });

  test.each(pendingRows)('the session API returns a sign-in step for %s', async (_, status, body, code) => {
    const step = await stepOf(status, body);
    const error = await errorOf(status, body);

    expect(step).toMatchObject({ reason: code, pendingAuthenticationToken: 'pending-0815' });
    expect(error instanceof SignInStepError && error.step).toEqual(step);
  });

  test('the client throws a SignInStepError for status 400, 401, 403 or 422', async () => {
    for (const status of [400, 401, 403, 422])
      expect(await errorOf(status, { code: 'retina_scan_required', pending_authentication_token })).toBeInstanceOf(
        SignInStepError,
      );
  });

  test('every method that calls the token endpoint throws a SignInStepError', async () => {
    const sallyport = clientWith(answering(403, { code: 'radar_challenge', pending_authentication_token }), {
      baseUrl: 'https://proxy.acme.test/identity',
    });
    const grant = { body: { grant_type: 'urn:workos:oauth:grant-type:radar-email-challenge:code' } };

    const calls = [
      sallyport.request('POST', '/user_management/authenticate', grant),
      sallyport.legacy.authenticateWithMagicAuth({ email: 'ada@acme.test', code: '123456' }),
      sallyport.userManagement.authenticateWithCode({ code: 'c' }),
    ];

    for (const error of await Promise.all(calls.map(failureOf)))
      expect(error).toMatchObject({ code: 'sign_in_step_required' });
  });
});

describe('a response without a valid pending token', () => {
  test.each(tokenlessRows)('is not treated as a sign-in step (%s)', async (_, body) => {
    expect(await errorOf(403, body)).toMatchObject({ code: 'forbidden' });
    expect(await stepOf(403, body)).toBeUndefined();
  });
});

describe('a response with a pending token and an unknown code', () => {
  const body = { code: 'retina_scan_required', pending_authentication_token };

  test.each([404, 409, 410, 500, 503])('is not treated as a sign-in step if the status is %s', async (status) => {
    const error = await errorOf(status, body);

    expect(error).toBeInstanceOf(ApiError);
    expect(error).not.toBeInstanceOf(SignInStepError);
    expect(await stepOf(status, body)).toBeUndefined();
  });

  test('is not treated as a sign-in step outside the token endpoint', async () => {
    const { userManagement } = clientWith(answering(403, body));

    expect(await failureOf(userManagement.getUser('user_01'))).toMatchObject({ code: 'forbidden' });
  });

  test('makes the client throw a SignInStepError with the code, the message and advice', async () => {
    const error = await errorOf(403, { ...body, message: 'Look into the camera.' });

    expect(error instanceof SignInStepError && error.step).toEqual({
      reason: 'sign_in_step_required',
      type: 'other',
      pendingAuthenticationToken: 'pending-0815',
      serviceCode: 'retina_scan_required',
    });
    expect(String(error)).toMatch(
      /the service asks for a step that this version does not know \(POST \/user_management\/authenticate, status 403, retina_scan_required\).*Look into the camera.*hosted sign-in page/s,
    );
  });
});

describe('a sign-in step keeps the valid data', () => {
  const bodyOf = (title: string) => pendingRows.find(([name]) => name === title)?.[2];
  const read = async (title: string): Promise<SignInStep> => {
    const error = await errorOf(403, bodyOf(title));
    if (error instanceof SignInStepError) return error.step;
    throw error;
  };

  test('about organizations, even if an organization lacks a name or an id', async () => {
    expect(await read('an organization without a name')).toMatchObject({
      organizations: [
        { id: 'org_01', name: 'Acme' },
        { id: 'org_02', name: '' },
      ],
    });
    expect(await read('an organization without an id')).toMatchObject({
      organizations: [{ id: 'org_01', name: 'Acme' }],
    });
    expect(await read('an organization with a new field')).toMatchObject({
      organizations: [{ id: 'org_01', name: 'Acme', logo: {} }],
    });
    expect(await read('an organization choice with a string instead of organizations')).toMatchObject({
      organizations: [],
    });
  });

  test('about connections, methods and factors', async () => {
    expect(await read('a connection that is not a string')).toMatchObject({ connectionIds: ['conn_01'] });
    expect(await read('missing sign-in methods')).toMatchObject({ authMethods: {}, ssoConnectionIds: [] });
    expect(await read('a factor without an id')).toMatchObject({
      authenticationFactors: [{ id: 'auth_factor_01', type: 'totp' }],
    });
  });

  test.each([
    'an enrollment whose user has null dates',
    'an enrollment whose user has no object field',
    'an enrollment whose user has an unknown object field',
    'an enrollment whose user has only an id',
  ])('from %s', async (title) => {
    expect(await read(title)).toMatchObject({ reason: 'mfa_enrollment', userId: 'user_01' });
  });

  test('about an authentication challenge', async () => {
    expect(await read('a challenge with only an id')).toMatchObject({
      authenticationChallengeId: 'auth_challenge_01',
    });
    expect(await read('a challenge that is a string')).toMatchObject({ authenticationChallengeId: null });
  });
});

describe('a pending token is read', () => {
  type Path = readonly (string | number)[];
  /** The paths of all values except the token. */
  const pathsIn = (value: unknown, at: Path = []): Path[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) =>
          key === 'pending_authentication_token' ? [] : [[...at, key], ...pathsIn(inner, [...at, key])],
        );
  type Change = (parent: Record<string, unknown>, key: string) => void;
  const setTo =
    (value: unknown): Change =>
    (parent, key) =>
      Object.assign(parent, { [key]: value });
  const drop: Change = (parent, key) => delete parent[key];
  const changes: Readonly<Record<string, Change>> = {
    dropped: drop,
    null: setTo(null),
    renamed: (parent, key) => {
      setTo(parent[key])(parent, `new_${key}`);
      drop(parent, key);
    },
    'a number': setTo(7),
    'a string': setTo('text'),
    'an empty string': setTo(''),
    'a boolean': setTo(true),
    'an array': setTo([{}, null, 7]),
    'an object': setTo({ id: 7 }),
  };
  const changed = (body: object, ...edits: readonly (readonly [Path, string])[]): Record<string, unknown> => {
    const copy = structuredClone(body) as Record<string, unknown>;
    for (const [path, change] of edits) {
      const parent = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], copy);
      // An earlier edit may have removed the parent.
      if (typeof parent === 'object' && parent !== null)
        changes[change]!(parent as Record<string, unknown>, String(path.at(-1)));
    }
    return copy;
  };

  async function expectToken(status: number, body: unknown): Promise<void> {
    const error = await errorOf(status, body);
    const step = await stepOf(status, body);

    expect(error instanceof SignInStepError && error.pendingAuthenticationToken, JSON.stringify(body)).toBe(
      'pending-0815',
    );
    expect(step, JSON.stringify(body)).toMatchObject({ pendingAuthenticationToken: 'pending-0815' });
    expect(error instanceof SignInStepError && error.step).toEqual(step);
  }

  test.each(Object.keys(changes))('even if a field elsewhere in the response is %s', async (change) => {
    for (const [, status, body] of completeRows)
      for (const path of pathsIn(body)) await expectToken(status, changed(body, [path, change]));
  });

  test('even if several fields elsewhere in the response are changed', async () => {
    const anyEdit = (body: object) =>
      fc.tuple(fc.constantFrom(...pathsIn(body)), fc.constantFrom(...Object.keys(changes)));
    const anyBody = fc
      .constantFrom(...completeRows)
      .chain(([, status, body]) =>
        fc.tuple(fc.constant(status), fc.array(anyEdit(body), { minLength: 2, maxLength: 6 }), fc.constant(body)),
      );

    await fc.assert(
      fc.asyncProperty(anyBody, ([status, edits, body]) => expectToken(status, changed(body, ...edits))),
      { numRuns: runs(300) },
    );
  });

  test('from any JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(400, 401, 403, 422),
        (body, status) => expectToken(status, { ...body, pending_authentication_token }),
      ),
      { numRuns: runs(300) },
    );
  });
});
