import { ConfigurationError } from 'sallyport';
import type { Fault } from 'sallyport/emulator';
import { describe, expect, test } from 'vitest';
import { verifySignature } from '../../src/crypto/access-token.js';
import { type KeyLookup, pinnedKeys, remoteKeys } from '../../src/crypto/key-set.js';
import { deferred } from '../deferred.js';
import { faulty } from '../servers/faulty.js';
import { serve } from '../servers/server.js';
import { hurry } from '../time.js';
import { issuer, noon } from './issuer.js';

const first = issuer('key_1');
const second = issuer('key_2');
const short = issuer('short', 1024);
const minute = 60_000;
const day = 24 * 60 * minute;

/** A clock that stands still until the test moves it. */
function clock() {
  let time = noon;
  return {
    now: () => time,
    forward(ms: number) {
      time += ms;
    },
  };
}
const outcome = (lookup: KeyLookup) => ('reason' in lookup ? lookup.reason : lookup.status);
const all = (...keys: readonly object[]) => ({ body: { keys } });
const down = { status: 503, body: 'down' };

/** Wait for a background fetch. Looking up an unknown id would also wait for it. */
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

describe('a pinned key set', () => {
  test('finds a key by id without a request', async () => {
    const keys = pinnedKeys({ keys: [first.jwk, second.jwk] });

    expect(await keys.key('key_2')).toEqual({ status: 'ok', key: expect.objectContaining({ type: 'public' }) });
    expect(await keys.key('key_3')).toEqual({ status: 'invalid', reason: 'unknown_key' });
  });

  test('uses the public part of a private key', async () => {
    const keys = pinnedKeys({ keys: [{ ...first.privateKey.export({ format: 'jwk' }), kid: 'key_1' }] });

    expect(await keys.key('key_1')).toEqual({ status: 'ok', key: expect.objectContaining({ type: 'public' }) });
  });

  test.each<[string, unknown]>([
    ['the value is undefined', undefined],
    ['the value is a list', [first.jwk]],
    ['the set is empty', { keys: [] }],
    ['the value is a single key', first.jwk],
    ['the keys are not objects', { keys: [null, 'key', 7] }],
    ['the only key has no id', { keys: [{ ...first.jwk, kid: undefined }] }],
    ['the only key has 1,024 bits', { keys: [short.jwk] }],
    ['the only key is for encryption', { keys: [{ ...first.jwk, use: 'enc' }] }],
    ['the only key is for PS256', { keys: [{ ...first.jwk, alg: 'PS256' }] }],
    ['the only key is restricted to signing', { keys: [{ ...first.jwk, key_ops: ['sign'] }] }],
    ['the only key is symmetric', { keys: [{ kty: 'oct', k: first.jwk.n, kid: 'key_1', alg: 'RS256' }] }],
    ['the only key is an elliptic curve key', { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'key_1' }] }],
  ])('is rejected if %s', (_, jwks) => {
    // A caller in JavaScript may pass anything.
    expect(() => pinnedKeys(jwks as { keys: object[] })).toThrow(ConfigurationError);
  });

  test('ignores unusable keys', async () => {
    const keys = pinnedKeys({ keys: [{ ...first.jwk, kid: 'enc', use: 'enc' }, short.jwk, first.jwk] });

    expect(outcome(await keys.key('key_1'))).toBe('ok');
    expect(outcome(await keys.key('enc'))).toBe('unknown_key');
    expect(outcome(await keys.key('short'))).toBe('unknown_key');
  });

  test('finds the last of 300 keys', async () => {
    const keys = pinnedKeys({ keys: Array.from({ length: 300 }, (_, at) => ({ ...first.jwk, kid: `key_${at}` })) });

    expect(outcome(await keys.key('key_299'))).toBe('ok');
  });

  test('does not accept a short key that is padded with zeros', async () => {
    const padded = Buffer.concat([Buffer.alloc(128), Buffer.from(String(short.jwk.n), 'base64url')]);
    const keys = pinnedKeys({ keys: [{ ...short.jwk, n: padded.toString('base64url') }, first.jwk] });

    expect(outcome(await keys.key('short'))).toBe('unknown_key');
  });

  test.each(['AQ', 'AAAB', 'Aw', 'AA', '!'])(
    'is unavailable if the only key has the invalid exponent "%s"',
    async (e) => {
      const keys = pinnedKeys({ keys: [{ ...first.jwk, e }] });

      expect(outcome(await keys.key('key_1'))).toBe('keys_unavailable');
    },
  );

  test('uses the first of two keys with identical ids', async () => {
    const keys = pinnedKeys({ keys: [first.jwk, { ...second.jwk, kid: 'key_1' }] });

    expect(await verifySignature(first.token(), keys)).toMatchObject({ status: 'ok' });
    expect(await verifySignature(second.token({}, { kid: 'key_1' }), keys)).toEqual({
      status: 'invalid',
      reason: 'forged',
    });
  });
});

describe('a remote key set', () => {
  test('is fetched only once for all readers of a URL', async () => {
    const server = await serve(all(first.jwk));
    const { now } = clock();
    const some = Array.from({ length: 5 }, () => remoteKeys({ url: server.url, now }));

    const found = await Promise.all(some.flatMap((keys) => [keys.key('key_1'), keys.key('key_1')]));

    expect(found.map(outcome)).toEqual(Array(10).fill('ok'));
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('is fetched separately for each URL and each fetch function', async () => {
    const [one, other] = [await serve(all(first.jwk)), await serve(all(second.jwk))];
    const { now } = clock();

    expect(outcome(await remoteKeys({ url: one.url, now }).key('key_1'))).toBe('ok');
    expect(outcome(await remoteKeys({ url: other.url, now }).key('key_1'))).toBe('unknown_key');
    const fetchOther: typeof fetch = (_, init) => fetch(other.url, init);
    expect(outcome(await remoteKeys({ url: one.url, now, fetch: fetchOther }).key('key_2'))).toBe('ok');
  });

  test('is fetched again in the background after five minutes', async () => {
    const server = await serve(all(first.jwk), all(first.jwk, second.jwk));
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now });
    await keys.key('key_1');

    forward(5 * minute - 1);
    await keys.key('key_1');
    expect(server.requests).toHaveLength(1);

    forward(1);
    const generation = keys.generation;
    expect(await Promise.all([keys.key('key_1'), keys.key('key_1')])).toMatchObject([
      { status: 'ok' },
      { status: 'ok' },
    ]);
    await until(() => keys.generation > generation);
    expect(outcome(await keys.key('key_2'))).toBe('ok');
    expect(server.requests).toHaveLength(2);
  });

  test('is used without delay while a newer key set is being fetched', async () => {
    const { promise: released, resolve: release } = deferred<void>();
    const server = await serve(all(first.jwk), async (_, response) => {
      await released;
      response.end(JSON.stringify({ keys: [first.jwk] }));
    });
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now });
    await keys.key('key_1');
    forward(10 * minute);

    expect(outcome(await keys.key('key_1'))).toBe('ok');
    await until(() => server.requests.length === 2);
    expect(outcome(await keys.key('key_1'))).toBe('ok');
    release();
  });

  test('is fetched once for all lookups that wait for a new key', async () => {
    const server = await serve(all(first.jwk), all(first.jwk, second.jwk));
    const { now } = clock();
    const keys = [remoteKeys({ url: server.url, now }), remoteKeys({ url: server.url, now })] as const;
    await keys[0].key('key_1');

    const found = await Promise.all([keys[0].key('key_2'), keys[1].key('key_2'), keys[0].key('key_2')]);

    expect(found.map(outcome)).toEqual(['ok', 'ok', 'ok']);
    expect(server.requests).toHaveLength(2);
  });

  test('drops a key that the service has removed', async () => {
    const server = await serve(all(first.jwk), all(second.jwk));
    const { now } = clock();
    const keys = remoteKeys({ url: server.url, now });
    await keys.key('key_1');

    await keys.key('key_2');

    expect(outcome(await keys.key('key_1'))).toBe('unknown_key');
  });

  test('is fetched for unknown keys at most once in five seconds', async () => {
    const server = await serve(all(first.jwk));
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now });
    await keys.key('key_1');

    const found = await Promise.all(Array.from({ length: 1000 }, (_, at) => keys.key(`made_up_${at}`)));
    for (let at = 0; at < 1000; at++) await keys.key(`made_up_later_${at}`);
    forward(4_999);
    await keys.key('made_up_0');

    expect(found.filter(({ status }) => status === 'ok')).toEqual([]);
    expect(server.requests).toHaveLength(2);
    forward(1);
    await keys.key('made_up_0');
    expect(server.requests).toHaveLength(3);
  });

  test('distinguishes an unknown key from a key that cannot be looked up yet', async () => {
    const server = await serve(all(first.jwk));
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now });

    expect(outcome(await keys.key('gone'))).toBe('unknown_key');
    expect(outcome(await keys.key('gone'))).toBe('unknown_key');
    expect(outcome(await keys.key('new'))).toBe('keys_unavailable');
    server.answer(all(first.jwk, { ...second.jwk, kid: 'new' }));
    forward(5_000);
    expect(outcome(await keys.key('new'))).toBe('ok');
  });

  test('is fetched again for a new key that a running fetch does not return', async () => {
    const { promise: released, resolve: release } = deferred<void>();
    const server = await serve(
      all(first.jwk),
      async (_, response) => {
        await released;
        response.end(JSON.stringify({ keys: [first.jwk] }));
      },
      all(first.jwk, second.jwk),
    );
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now });
    await keys.key('key_1');
    forward(10 * minute);
    await keys.key('key_1');
    await until(() => server.requests.length === 2);

    const found = keys.key('key_2');
    release();

    expect(outcome(await found)).toBe('ok');
    expect(server.requests).toHaveLength(3);
  });
});

/** Publishes the keys of a service. `fails` adds a fault to its next answers. */
async function published() {
  const { emulator, answered } = await faulty();
  const url = `${emulator.url}/sso/jwks/${emulator.credentials.clientId}`;
  const newest = async (): Promise<string> => (await (await emulator.fetch(url)).json()).keys.at(-1).kid;
  const kid = await newest();
  const before = answered();
  const { now, forward } = clock();
  return {
    url,
    kid,
    emulator,
    now,
    forward,
    requests: () => answered() - before,
    fails: (fault: Fault) => emulator.faults.add({ operation: 'jwks.get', ...fault }),
  };
}

describe('a service outage', () => {
  test('before the first fetch makes keys unavailable for five seconds', async () => {
    const { url, kid, emulator, now, forward, requests, fails } = await published();
    await fails({ status: 503 });
    const keys = remoteKeys({ url, now });

    const found = await Promise.all(Array.from({ length: 20 }, () => keys.key(kid)));
    expect(new Set(found.map(outcome))).toEqual(new Set(['keys_unavailable']));
    await keys.key(kid);
    // The second fetch follows at once.
    expect(requests()).toBe(2);

    await emulator.faults.clear();
    forward(4_999);
    expect(outcome(await keys.key(kid))).toBe('keys_unavailable');
    forward(1);
    expect(outcome(await keys.key(kid))).toBe('ok');
  });

  test('during one request is hidden by an immediate retry', async () => {
    const { url, kid, now, requests, fails } = await published();
    await fails({ connection: 'reset', times: 1 });
    const keys = remoteKeys({ url, now });

    const found = await Promise.all(Array.from({ length: 20 }, () => keys.key(kid)));

    expect(new Set(found.map(outcome))).toEqual(new Set(['ok']));
    expect(requests()).toBe(2);
  });

  test('during two requests makes keys unavailable for half a second', async () => {
    const { url, kid, now, forward, requests, fails } = await published();
    await fails({ connection: 'reset', times: 2 });
    const keys = remoteKeys({ url, now });

    const lost = await keys.key(kid);
    forward(499);
    const early = await keys.key(kid);
    forward(1);
    const due = await keys.key(kid);

    expect(lost).toMatchObject({ reason: 'keys_unavailable', retryAfterMs: 500 });
    expect([early, due].map(outcome)).toEqual(['keys_unavailable', 'ok']);
    expect(requests()).toBe(3);
  });

  test('during one request after a key rotation does not make the new key unavailable', async () => {
    const { url, kid, emulator, now, fails } = await published();
    const keys = remoteKeys({ url, now });
    await keys.key(kid);
    const { kid: next } = await emulator.keys.rotate();
    await fails({ connection: 'reset', times: 1 });

    const found = await Promise.all([keys.key(next), keys.key(next)]);

    expect(found.map(outcome)).toEqual(['ok', 'ok']);
  });

  test('delays a lookup by at most the fetch timeout if the service does not respond', async () => {
    // The emulator counts a request when it has ended, and the second one ends long after this test.
    const server = await serve(() => new Promise(() => {}));
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now, timeoutMs: 1_800 });

    const first = await hurry(async () => keys.key('key_1'));
    forward(500);
    const second = await hurry(async () => keys.key('key_1'));

    expect([first, second].map(({ value }) => outcome(value))).toEqual(['keys_unavailable', 'keys_unavailable']);
    expect(server.requests).toHaveLength(2);
    expect([first.ms, second.ms]).toEqual([expect.closeTo(1_800, -2), expect.closeTo(1_000, -2)]);
  });

  test('after the first fetch leaves known keys available for a day', async () => {
    const { url, kid, emulator, now, forward, fails } = await published();
    const keys = remoteKeys({ url, now });
    await keys.key(kid);
    await fails({ status: 503 });

    for (let hour = 0; hour < 23; hour++) {
      forward(60 * minute);
      expect(outcome(await keys.key(kid))).toBe('ok');
    }
    expect(outcome(await keys.key('key_9'))).toBe('keys_unavailable');
    await emulator.close();
    forward(59 * minute);
    expect(outcome(await keys.key(kid))).toBe('ok');
    forward(minute);
    expect(outcome(await keys.key(kid))).toBe('keys_unavailable');
  });

  test('causes at most one background fetch in five seconds', async () => {
    const { url, kid, now, forward, requests, fails } = await published();
    const keys = remoteKeys({ url, now });
    await keys.key(kid);
    await fails({ status: 503 });
    forward(10 * minute);

    await keys.key(kid);
    await keys.key('key_9');
    for (let at = 0; at < 50; at++) await keys.key(kid);

    // This request arrives after the background requests.
    await fetch(url);
    expect(requests()).toBe(4);
  });
});

test('a remote key set is fetched again if the clock is set back', async () => {
  const { url, kid, now, forward, requests } = await published();
  const keys = remoteKeys({ url, now });
  await keys.key(kid);

  forward(-2 * day);
  await keys.key(kid);

  expect(requests()).toBe(2);
});

describe('a key fetch', () => {
  const certificates = { x5c: ['A'.repeat(100_000)] };
  test.each<[string, Parameters<typeof serve>[0]]>([
    ['an HTML page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' }],
    ['an empty body', { body: '' }],
    ['a list instead of an object', { body: [first.jwk] }],
    ['null', { body: 'null' }],
    ['an object instead of a list of keys', { body: { keys: { key_1: first.jwk } } }],
    ['no keys', { body: { keys: [] } }],
    ['only a short key', { body: { keys: [short.jwk] } }],
    ['a key set with status 404', { status: 404, body: { keys: [first.jwk] } }],
    ['a key set with status 203', { status: 203, body: { keys: [first.jwk] } }],
    ['a key set of more than 256 KiB', { body: { keys: [first.jwk, certificates, certificates, certificates] } }],
    [
      'an endless body',
      (_, response) => {
        const chunk = Buffer.alloc(65_536, ' ');
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', write);
        write();
      },
    ],
    ['no response before a connection reset', (_, response) => response.destroy()],
  ])('that receives %s makes only unknown keys unavailable', async (_, script) => {
    const server = await serve(script);
    const { now, forward } = clock();
    const keys = remoteKeys({ url: server.url, now });

    const cold = await keys.key('key_1');
    server.answer(all(first.jwk), script);
    forward(5_000);
    await keys.key('key_1');
    forward(10 * minute);
    await keys.key('key_1');
    await until(() => server.requests.length === 3);

    expect(cold).toMatchObject({ status: 'retry_later', reason: 'keys_unavailable', cause: expect.any(Error) });
    expect(outcome(await keys.key('key_9'))).toBe('keys_unavailable');
    expect(outcome(await keys.key('key_1'))).toBe('ok');
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await serve(all(first.jwk));
    const server = await serve({ status: 302, headers: { location: elsewhere.url } });

    expect(outcome(await remoteKeys({ url: server.url, now: clock().now }).key('key_1'))).toBe('keys_unavailable');
    expect(elsewhere.requests).toEqual([]);
  });

  test('ends at the timeout if no response arrives', async () => {
    const server = await serve(() => new Promise(() => {}));
    const keys = remoteKeys({ url: server.url, now: clock().now, timeoutMs: 300 });

    const { value, ms } = await hurry(() => Promise.resolve(keys.key('key_1')));

    expect([outcome(value), ms]).toEqual(['keys_unavailable', 300]);
    expect(await server.requests[0]?.cut).toBe(true);
  });

  test('ends at the timeout if the response body does not end', async () => {
    const server = await serve((_, response) => void response.write('{"keys":['));

    const found = await remoteKeys({ url: server.url, now: clock().now, timeoutMs: 50 }).key('key_1');

    expect(outcome(found)).toBe('keys_unavailable');
  });

  describe('that the runtime dropped', () => {
    /** A `fetch` that never answers the next request after `dropNext()`. */
    function dropping() {
      let drops = false;
      const dropped: typeof fetch = (input, init) => {
        if (!drops) return fetch(input, init);
        drops = false;
        return new Promise(() => {});
      };
      return {
        fetch: dropped,
        dropNext: () => {
          drops = true;
        },
      };
    }

    test('does not block later lookups', async () => {
      const server = await serve(all(first.jwk));
      const { now, forward } = clock();
      const { fetch, dropNext } = dropping();
      const keys = remoteKeys({ url: server.url, now, fetch, timeoutMs: 500 });
      dropNext();
      void keys.key('key_1');

      forward(1_000);

      expect(outcome(await keys.key('key_1'))).toBe('ok');
    });

    test('is retried once for all waiting lookups', async () => {
      const server = await serve(all(first.jwk));
      const { now } = clock();
      const { fetch, dropNext } = dropping();
      const keys = remoteKeys({ url: server.url, now, fetch, timeoutMs: 500 });
      dropNext();
      void keys.key('key_1');

      const found = await Promise.all([keys.key('key_1'), keys.key('key_1'), keys.key('key_1')]);

      expect(found.map(outcome)).toEqual(['ok', 'ok', 'ok']);
      expect(server.requests).toHaveLength(1);
    });

    test('is retried by a later lookup if the fetch ran in the background', async () => {
      const server = await serve(all(first.jwk), all(second.jwk));
      const { now, forward } = clock();
      const { fetch, dropNext } = dropping();
      const keys = remoteKeys({ url: server.url, now, fetch, timeoutMs: 500 });
      await keys.key('key_1');
      forward(5 * minute);
      dropNext();

      const atOnce = await keys.key('key_1');
      forward(1_000);
      const waited = await keys.key('key_1');

      expect([atOnce, waited].map(outcome)).toEqual(['ok', 'unknown_key']);
    });

    test('leaves known keys available during an outage if the fetch ran in the background', async () => {
      const server = await serve(all(first.jwk), down);
      const { now, forward } = clock();
      const { fetch, dropNext } = dropping();
      const keys = remoteKeys({ url: server.url, now, fetch, timeoutMs: 500 });
      await keys.key('key_1');
      forward(5 * minute);
      dropNext();
      await keys.key('key_1');

      forward(1_000);

      expect(outcome(await keys.key('key_1'))).toBe('ok');
      expect(server.requests).toHaveLength(3);
    });
  });
});
