import { readdirSync, readFileSync } from 'node:fs';
import { createSessionReader } from 'sallyport/session';
import { describe, expect, test } from 'vitest';

interface Vectors {
  readonly package: string;
  readonly version: string;
  readonly madeAt: number;
  readonly keys: { readonly keys: readonly object[] };
  readonly seals: readonly {
    readonly password: string;
    readonly passwordId: string;
    readonly ttlSec?: number;
    readonly sealed: string;
  }[];
}

const folder = new URL('./vectors/', import.meta.url);
const read = (name: string): Vectors => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

const made = [
  'iron-session-6.3.1.json',
  'iron-session-8.0.4.json',
  'workos-authkit-session-0.7.1.json',
  'workos-inc-node-11.0.0.json',
  'workos-inc-node-8.13.0.json',
];
// The tokens live until 2100.
const service = {
  clientId: 'client_01JVECTORS0000000000000000',
  baseUrl: 'https://api.example.com',
  maxTokenLifetimeMs: Infinity,
};

test('the test vectors include seals of every supported package', () => {
  expect(
    readdirSync(folder)
      .filter((name) => /^(?:iron|workos)-.*\.json$/.test(name))
      .sort(),
  ).toEqual(made);
});

describe.each(made)('with the seals in %s,', (name) => {
  const vectors = read(name);

  test.each(vectors.seals.map((one, at) => [at, one] as const))(
    'the session reader opens seal number %i',
    async (_, one) => {
      const { sealed, password, passwordId } = one;
      const reader = createSessionReader({
        ...service,
        cookiePassword: [{ id: passwordId, secret: password }],
        keys: vectors.keys,
        cookie: { name: 'wos-session' },
        now: () => vectors.madeAt,
      });

      const result = await reader.read(`theme=dark; wos-session=${sealed}`);

      expect(result).toMatchObject({
        status: 'active',
        outdatedPassword: false,
        session: {
          user: {
            id: 'user_01JVECTORS0000000000000000',
            email: 'zoë@example.com',
            firstName: 'Zoë',
            lastName: '李',
            emailVerified: true,
            metadata: { favourite_colour: 'teal' },
          },
          sessionId: 'session_01JVECTORS0000000000000000',
          organizationId: 'org_01JVECTORS0000000000000000',
          role: 'admin',
          roles: ['admin'],
          permissions: ['invoices:read', 'invoices:write'],
          impersonator: { email: 'support@example.com', reason: 'Ticket 4711' },
          expiresAtMs: 4_102_444_800_000,
        },
      });
    },
  );

  test('the session reader opens no seal with a wrong password', async () => {
    for (const { sealed, passwordId } of vectors.seals) {
      const password = [{ id: passwordId, secret: 'another password of thirty-two letters' }];
      const reader = createSessionReader({ ...service, cookiePassword: password, keys: vectors.keys });

      expect(await reader.read(`sallyport-session=${sealed}`)).toEqual({
        status: 'signed_out',
        session: null,
        reason: 'forged',
      });
    }
  });

  test('a seal with a time limit expires one minute after the limit', async () => {
    for (const { sealed, password, passwordId, ttlSec } of vectors.seals) {
      if (!ttlSec) continue;
      const at = (now: number) =>
        createSessionReader({
          ...service,
          cookiePassword: [{ id: passwordId, secret: password }],
          keys: vectors.keys,
          now: () => now,
        }).read(`sallyport-session=${sealed}`);
      const end = vectors.madeAt + (ttlSec + 60) * 1000;

      // The seal was made shortly before or after `madeAt` was recorded.
      expect(await at(end - 5_000)).toMatchObject({ status: 'active' });
      expect(await at(end + 5_000)).toEqual({ status: 'signed_out', session: null, reason: 'seal_expired' });
    }
  });
});
