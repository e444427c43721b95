import { createCipheriv, createHmac, pbkdf2Sync, sign } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import fc, { anyText } from '../runner/property.js';
import { takesLong } from '../runner/requirements.js';
import { base64url, goodClaims, noon, service } from '../session/issuer.js';
import { mutated } from '../session/mutated.js';
import { type Engine, engines } from './engines.js';

const password = 'correct horse battery staple, twice over';
const ring = [
  { id: '1', secret: password },
  { id: '2', secret: 'another password of thirty-two letters' },
];

/** Seal any bytes in Iron's format with `node:crypto`. The content may be invalid base64url, JSON or padding. */
function sealed(parts: {
  readonly content: Buffer | string;
  readonly expiry?: string;
  readonly padding?: boolean;
}): string {
  const { content, expiry = '', padding = true } = parts;
  const salt = 'a'.repeat(64);
  const key = pbkdf2Sync(password, salt, 1, 32, 'sha1');
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(padding);
  const body =
    typeof content === 'string'
      ? content
      : Buffer.concat([cipher.update(content), cipher.final()]).toString('base64url');
  const text = ['Fe26.2', '1', salt, iv.toString('base64url'), body, expiry].join('*');
  return `${text}*${salt}*${createHmac('sha256', key).update(text).digest('base64url')}~2`;
}

const json = fc.oneof(
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(Buffer.from('"\u00fc"', 'latin1')),
  fc.constantFrom('\ufeff{}', '', ' ', '{', '"\ud800"', '[1,]').map((text) => Buffer.from(text)),
);
const rightlySealed = fc.oneof(
  json.map((content) => sealed({ content })),
  fc.string({ maxLength: 40 }).map((content) => sealed({ content: content.replaceAll('*', '') })),
  fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => sealed({ content: Buffer.from(bytes), padding: false })),
  fc
    .constantFrom('1', `${noon}`, `${noon - 60_001}`, `${noon + 1}`, '0', '-1', '1e9')
    .map((expiry) => sealed({ content: Buffer.from('1'), expiry })),
);

const odd = fc.constantFrom<unknown>(
  null,
  true,
  0,
  1,
  '',
  'RS256',
  'rs256',
  'none',
  'HS256',
  'PS256',
  'JWT',
  'at+jwt',
  'application/jwt',
  'key_1',
  'key_2',
  [],
  ['b64'],
  ['exp'],
  [''],
  {},
  noon / 1000,
  1e300,
  -1,
);
const header = fc
  .dictionary(
    fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u', 'zip', '__proto__'),
    odd,
    { maxKeys: 2 },
  )
  .map((more) => ({ alg: 'RS256', kid: service.kid, ...more }));
const claims = fc
  .dictionary(fc.constantFrom('sub', 'sid', 'exp', 'nbf', 'iat', 'iss', 'aud', 'client_id', 'act', 'roles'), odd, {
    maxKeys: 3,
  })
  .map((more) => ({ ...goodClaims, ...more }));
const part = fc.oneof(
  header.map(base64url),
  claims.map(base64url),
  json.map((bytes) => bytes.toString('base64url')),
  fc.string({ maxLength: 12 }),
);
/** Tokens with a valid signature and any content. There are only a few hundred, because signing is slow. */
const signedTokens = fc
  .sample(fc.tuple(part, part), 300)
  .concat(fc.sample(fc.tuple(header.map(base64url), claims.map(base64url)), 300))
  .map(
    ([head, body]) =>
      `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), service.privateKey).toString('base64url')}`,
  );
const token = fc.oneof(
  fc.constantFrom(...signedTokens),
  fc.tuple(fc.constantFrom(...signedTokens), part, fc.nat(2)).map(([text, by, which]) =>
    text
      .split('.')
      .map((mine, place) => (place === which ? by : mine))
      .join('.'),
  ),
  mutated(service.token(), service.token({ sub: 'user_2' })),
  fc
    .constantFrom({ nbf: noon / 1000 + 60 }, { exp: noon / 1000 - 60 }, { exp: noon / 1000 + 90_000 })
    .map((claims) => service.token(claims)),
);
const checks = { now: () => noon, clockToleranceMs: 5_000, maxTokenLifetimeMs: 86_400_000, clientId: 'client_1' };

const secret = fc.constantFrom('whsec_0123456789', 'another secret', '\u00fc');
const body = fc.oneof(fc.json(), anyText(60), fc.uint8Array({ maxLength: 60 }), fc.constant('\ufeff{}'));
const delivery = fc
  .record({
    body,
    secret,
    other: secret,
    at: fc.constantFrom(noon, noon - 180_001, noon + 180_001, noon / 1000),
    spoil: fc.nat(5),
    by: fc.string({ maxLength: 70 }),
  })
  .map(({ body, secret, other, at, spoil, by }) => {
    const right = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
    const signature = [
      right,
      right.toUpperCase(),
      `${right}0`,
      right.slice(1),
      by.replace(/[,=]/g, ''),
      `${by.replace(/[,=]/g, '')}, v1=${right}`,
    ][spoil];
    return { payload: body, sigHeader: `t=${at}, v1=${signature}`, secret: [other, secret], now: () => noon };
  });

/** The outcome of a call: its result, or the reason of its error. */
const outcome = async (call: () => unknown): Promise<unknown> => {
  try {
    return await call();
  } catch (error) {
    return `thrown: ${(error as { readonly reason?: unknown }).reason}`;
  }
};
/** Make the results of both engines comparable. */
const plain = (value: unknown): unknown =>
  JSON.stringify(value, (_, one) => (one instanceof Error ? one.message : one)) ?? String(value);

/** Name a result by its reason; an expired token has none. */
const outcomeOf = (result: unknown): string => {
  const { status, reason = status === 'expired' ? 'expired' : 'opened' } = Object(result);
  return reason;
};

takesLong("Node's cryptography and Web Crypto", () => {
  let both: { readonly native: Engine; readonly web: Engine };
  beforeAll(async () => {
    both = await engines();
  });

  /** Run both engines on a number of inputs, which must have several outcomes. */
  async function agree<Input>(
    inputs: fc.Arbitrary<Input>,
    numRuns: number,
    run: (engine: Engine) => (input: Input) => unknown,
    kinds: readonly string[],
  ): Promise<void> {
    const [native, web] = [run(both.native), run(both.web)];
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const [ours, theirs] = [await outcome(() => native(input)), await outcome(() => web(input))];
        expect(plain(ours)).toBe(plain(theirs));
        seen.add(typeof ours === 'string' ? ours : outcomeOf(ours));
      }),
      { numRuns },
    );
    expect([...seen]).toEqual(expect.arrayContaining([...kinds]));
  }

  test('return the same results for 4,000 modified seals', async () => {
    const { native } = both;
    const seal = (value: unknown) => native.seal(value, native.passwordRing(password), { ttlMs: 600_000, now: noon });
    const changes = mutated(await seal({ one: 1 }), await seal({ other: 2 }));
    await agree(
      changes,
      4_000,
      ({ unseal, passwordRing }) =>
        (text) =>
          unseal(text, passwordRing(ring), { now: noon }),
      ['malformed', 'forged', 'unknown_password'],
    );
  }, 300_000);

  test(
    'return the same results for 2,000 seals with arbitrary content',
    () =>
      agree(
        rightlySealed,
        2_000,
        ({ unseal, passwordRing }) =>
          (text) =>
            unseal(text, passwordRing(ring), { now: noon }),
        ['opened', 'malformed', 'expired'],
      ),
    300_000,
  );

  test(
    'return the same results for 4,000 access tokens',
    () =>
      agree(
        token,
        4_000,
        ({ verifyAccessToken, pinnedKeys }) => {
          const keys = pinnedKeys(service.keys);
          return (text) => verifyAccessToken(text, keys, checks);
        },
        ['opened', 'malformed', 'forged', 'expired', 'unknown_key', 'wrong_client', 'not_yet_valid', 'lives_too_long'],
      ),
    300_000,
  );

  test(
    'return the same results for 3,000 webhook deliveries',
    () =>
      agree(
        delivery,
        3_000,
        ({ verifyWebhook }) =>
          (options) =>
            verifyWebhook(options),
        ['opened', 'thrown: signature_mismatch', 'thrown: clock_skew', 'thrown: payload_malformed'],
      ),
    300_000,
  );

  test('return the same results for 1,000 session cookies', async () => {
    const { native } = both;
    const cookie = (sub: string) =>
      native.seal(
        { accessToken: service.token({ sub }), refreshToken: 'refresh', user: { id: sub, email: 'ada@example.com' } },
        native.passwordRing(password),
      );
    const options = {
      cookiePassword: ring,
      clientId: 'client_1',
      baseUrl: 'https://api.example.com',
      keys: service.keys,
      now: () => noon,
    };
    const changes = fc.oneof(
      mutated(await cookie('user_1'), await cookie('user_2')),
      fc.constant(await cookie('user_1')),
    );
    await agree(
      changes,
      1_000,
      ({ createSessionReader }) => {
        const reader = createSessionReader(options);
        return async (text) => {
          const result = await reader.read(`sallyport-session=${text}`);
          return result.status === 'active' ? { ...result, session: { ...result.session } } : result;
        };
      },
      ['opened', 'malformed', 'forged'],
    );
  }, 300_000);

  test("open each other's seals", async () => {
    const { native, web } = both;
    await fc.assert(
      fc.asyncProperty(
        fc.json().map((text): unknown => JSON.parse(text)),
        async (value) => {
          const [from, to] = [
            await native.seal(value, native.passwordRing(password)),
            await web.seal(value, web.passwordRing(password)),
          ];
          expect(await web.unseal(from, web.passwordRing(password))).toMatchObject({ status: 'ok', value });
          expect(await native.unseal(to, native.passwordRing(password))).toMatchObject({ status: 'ok', value });
        },
      ),
      { numRuns: 500 },
    );
  }, 120_000);

  test('are reported if their results differ', async () => {
    await expect(agree(fc.constant(1), 1, (engine) => () => engine === both.native, [])).rejects.toThrow();
  });
});
