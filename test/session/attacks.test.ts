import { createSessionReader, type ReadResult, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing, seal, unseal } from '../../src/crypto/seal.js';
import fc, { anyText, runs } from '../runner/property.js';
import { noon, service, userId } from './issuer.js';
import { mutated } from './mutated.js';

const password = 'correct horse battery staple, twice over';
const ring = passwordRing(password);
const options = {
  cookiePassword: [
    { id: '1', secret: password },
    { id: '2', secret: 'another password of thirty-two letters' },
  ],
  clientId: 'client_1',
  baseUrl: 'https://api.example.com',
  keys: service.keys,
  now: () => noon,
};
const sessionOf = (id: string) => ({
  accessToken: service.token({ sub: id }),
  refreshToken: `refresh of ${id}`,
  user: { id, email: `${id}@acme.test` },
});
/** The attacked cookie, and one of another user whose parts can be mixed into it. */
const valid = await seal(sessionOf(userId), ring, { ttlMs: 600_000, now: noon });
const other = await seal(sessionOf('user_2'), ring, { ttlMs: 900_000, now: noon });

const changed = mutated(valid, other);

const status = ({ status, ...rest }: ReadResult) => ('reason' in rest ? `${status}: ${rest.reason}` : status);

describe('a mutated session cookie', () => {
  test('contains a seal that cannot be opened', async () => {
    const seen = new Set<string>();

    await fc.assert(
      fc.asyncProperty(changed, async (text) => {
        const opened = await unseal(text, ring, { now: noon });

        seen.add(opened.status === 'ok' ? 'opened' : opened.reason);
        expect(opened.status === 'ok').toBe(text === valid);
      }),
      { numRuns: runs(10_000) },
    );

    // The changes have reached every check: form, password, signature.
    for (const reason of ['malformed', 'unknown_password', 'forged']) expect(seen).toContain(reason);
    expect([...seen].sort()).not.toContain('expired');
  }, 120_000);

  test.each([
    ['without', undefined],
    ['with', sessionCache()],
  ])(
    'is never read as a different session by a reader %s a cache',
    async (_, cache) => {
      const reader = createSessionReader({ ...options, cache });
      const expected = await reader.read(`sallyport-session=${valid}`);
      expect(expected).toMatchObject({ status: 'active', session: { user: { id: userId } } });

      await fc.assert(
        fc.asyncProperty(changed, async (text) => {
          const result = await reader.read(`sallyport-session=${text}`);

          // A space or a semicolon ends the value in every Cookie header, so an opened session must be the same one.
          if (result.status === 'active') expect(result).toEqual(expected);
          else expect(status(result)).toMatch(/^signed_out: (no_cookie|malformed|forged|unknown_password)$/);
        }),
        { numRuns: runs(10_000) },
      );
    },
    120_000,
  );

  test('does not cause an exception even if the header contains several mutated cookies', async () => {
    const reader = createSessionReader(options);
    const name = fc.constantFrom('sallyport-session', 'sallyport-session.0', 'sallyport-session.1', '__proto__', '');
    const value = fc.oneof(changed, anyText(300), fc.constant(`2~${valid.slice(0, 900)}`));
    const header = fc
      .array(fc.tuple(name, value), { maxLength: 6 })
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('; '));

    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        const result = await reader.read(text);

        if (result.status === 'active') expect(result.session.user.id).toBe(userId);
        else expect(result.status).toBe('signed_out');
      }),
      { numRuns: runs(2_000) },
    );
  }, 120_000);
});

test('the session reader rejects arbitrary sealed values without an exception', async () => {
  const reader = createSessionReader(options);
  const token = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.json(), fc.json())
      .map((halves) => `${halves.map((json) => Buffer.from(json).toString('base64url')).join('.')}.AAAA`),
  );
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record({
      accessToken: token,
      refreshToken: fc.string(),
      user: fc.oneof(fc.jsonValue(), fc.record({ id: fc.string() })),
    }),
  );

  await fc.assert(
    fc.asyncProperty(value, async (sealed) => {
      const result = await reader.read(`sallyport-session=${await seal(sealed, ring)}`);

      expect(status(result)).toMatch(/^signed_out: (malformed|invalid_token)$/);
    }),
    { numRuns: runs(2_000) },
  );
}, 120_000);

test('the session reader reads cookies of a million characters within seconds', async () => {
  const reader = createSessionReader(options);
  const started = performance.now();

  for (const long of ['*', 'A', '-', '~', 'Fe26.2*1*', '; ', '='])
    await reader.read(`sallyport-session=Fe26.2*1*${long.repeat(1_000_000)}`);

  // Reading them costs some ten milliseconds; a check that backtracks would take hours.
  expect(performance.now() - started).toBeLessThan(5_000);
});
