import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { checked, dataIn, deployment, differing, freeUrl, type Passing, type Planted } from './deployment.js';

/** Differences that deployments of the service may have, and the statements that they make false. */
const plans: Readonly<Record<string, { planted: () => Parameters<typeof deployment>[0]; says: readonly string[] }>> = {
  'a field of the wrong type': {
    planted: () => ({ answer: onGet('/user_management/users/user_', (body) => ({ ...body, email: 5 })) }),
    says: ['GET /user_management/users/:id (users.get) answers 200 as described'],
  },
  'a missing id': {
    planted: () => ({ answer: onGet('/organizations/org_', ({ id: _, ...body }) => body) }),
    says: ['GET /organizations/:id (organizations.get) answers 200 as described'],
  },
  'an unknown field': {
    planted: () => ({ answer: onGet('/auth/factors/auth_factor_', (body) => ({ ...body, shoe_size: 42 })) }),
    says: ['GET /auth/factors/:id (mfa.getFactor) answers 200 as described'],
  },
  'the status 201 instead of 200': {
    planted: () => ({
      answer: ({ method, path }) =>
        method === 'GET' && path.startsWith('/user_management/organization_memberships/om_')
          ? { status: 201 }
          : undefined,
    }),
    says: ['GET /user_management/organization_memberships/:id (organizationMemberships.get) answers 200 as described'],
  },
  'an unexpected error code': {
    planted: () => ({
      answer: (_, { body }) => (body.code === 'invalid_credentials' ? { body: { ...body, code: 'wrong' } } : undefined),
    }),
    says: ['A wrong password is refused with status 400 and code invalid_credentials'],
  },
  'a refresh token that is rejected at the second use': {
    planted: () => {
      const used = new Set<unknown>();
      return {
        request({ headers, body }) {
          const { refresh_token: token } = body;
          if (token === undefined || headers.has('idempotency-key')) return undefined;
          if (used.has(token)) return { ...body, refresh_token: 'used' };
          used.add(token);
          return undefined;
        },
      };
    },
    says: [
      'A refresh token that was used 5 seconds ago gives the tokens of its first use',
      'A refresh token that was used 25 seconds ago gives the tokens of its first use',
      'Ten refreshes at once without idempotency keys all give the same tokens',
    ],
  },
  'a refresh token that is accepted 40 seconds after the first use': {
    planted: () => {
      const pairs = new Map<unknown, Record<string, unknown>>();
      let count = 0;
      return {
        answer({ body: { refresh_token: token } }, { status, body }) {
          if (token === undefined) return undefined;
          if (status === 200) pairs.set(token, body);
          // Those after it are refused because their session has ended.
          return status === 400 && count++ === 0 ? { status: 200, body: pairs.get(token) } : undefined;
        },
      };
    },
    says: ['A refresh token that was used 40 seconds ago is refused with invalid_grant'],
  },
  'ignored idempotency keys': {
    planted: () => ({ request: ({ headers }) => void headers.delete('idempotency-key') }),
    says: ['A request with the idempotency key of an earlier one returns the same response'],
  },
  'an unexpected issuer': {
    planted: () => ({ issuer: 'https://auth.acme.test' }),
    says: ['The issuer of the access token is the service, alone or with /user_management and the client id'],
  },
  'a key set without the signing key of the token': {
    planted: () => ({
      answer: ({ path }, { body }) =>
        path.startsWith('/sso/jwks/')
          ? { body: { keys: (body.keys as object[]).map((key) => ({ ...key, kid: 'another' })) } }
          : undefined,
    }),
    says: [
      'The key set has the key that signed the access token',
      'A sealed session opens again, and its token has a valid signature',
    ],
  },
  'a missing event': {
    planted: () => ({ answer: onGet('/events', (body) => ({ ...body, data: [] })) }),
    says: ['The event user.created is in the list of events within 30 seconds'],
  },
  'a signature over a re-serialized body': {
    planted: () => ({}),
    says: ['The delivery of user.created is signed over its bytes with the secret of the endpoint'],
  },
};

/** Change the body of the answers to GET requests to paths that begin like this. */
function onGet(
  start: string,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): NonNullable<Planted['answer']> {
  return ({ method, path }: Passing, { body }) =>
    method === 'GET' && path.startsWith(start) && path.split('/').length === start.split('/').length
      ? { body: change(body) }
      : undefined;
}

/** Start a program between the service and an endpoint, which serializes each body again. */
async function serializedAgain(target: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = JSON.stringify(JSON.parse(await text(request)), null, 2);
    // The check stops listening when it has ended.
    await fetch(target, { method: 'POST', headers: request.headers as Record<string, string>, body }).catch(
      () => undefined,
    );
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

takesLong('sallyport check', () => {
  test.each(Object.entries(plans))('reports only %s if everything else matches', async (name, { planted, says }) => {
    const webhookUrl = await freeUrl();
    const relay = name.startsWith('a signature') ? await serializedAgain(webhookUrl) : undefined;
    const service = await deployment({
      ...planted(),
      ...(relay && {
        request: ({ method, path, body }: Passing) =>
          method === 'POST' && path === '/webhook_endpoints' ? { ...body, endpoint_url: relay } : undefined,
      }),
    });

    const { code, findings } = await checked(service, { webhookUrl });

    expect(differing(findings)).toEqual(says);
    expect(code).toBe(1);
    expect((await dataIn(service.emulator)).users ?? []).toEqual([]);
  });

  test('reports ignored idempotency keys even if refresh tokens are single-use', async () => {
    const service = await deployment({
      dialect: 'spec',
      request: ({ headers }) => void headers.delete('idempotency-key'),
    });

    const { findings } = await checked(service);

    expect(differing(findings)).toEqual([
      'A request with the idempotency key of an earlier one returns the same response',
      'Ten refreshes at once with one idempotency key all give the same tokens',
    ]);
  });
});
