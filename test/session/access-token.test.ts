import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type TokenChecks, verifyAccessToken, verifySignature } from '../../src/crypto/access-token.js';
import { type KeySet, pinnedKeys } from '../../src/crypto/key-set.js';
import { base64url, type Claims, goodClaims, type Header, noon, service, signed, stranger } from './issuer.js';

const keys = pinnedKeys(service.keys);
const checks: TokenChecks = { now: () => noon, clockToleranceMs: 5_000, maxTokenLifetimeMs: 86_400_000 };
const verdict = async (token: string, more: Partial<TokenChecks> = {}, set: KeySet = keys) => {
  const result = await verifyAccessToken(token, set, { ...checks, ...more });
  return 'reason' in result ? result.reason : result.status;
};

describe('verifyAccessToken', () => {
  test('returns all claims of a valid token, including custom claims', async () => {
    const token = service.token({ org_id: 'org_1', 'https://acme.test/plan': 'gold' });

    expect(await verifyAccessToken(token, keys, checks)).toEqual({
      status: 'ok',
      claims: { ...goodClaims, org_id: 'org_1', 'https://acme.test/plan': 'gold' },
    });
  });

  test("accepts a token signed with Node's crypto module", async () => {
    const text = `${base64url({ alg: 'RS256', kid: service.kid })}.${base64url(goodClaims)}`;
    const signature = createSign('RSA-SHA256').update(text).sign(service.privateKey).toString('base64url');

    expect(await verdict(`${text}.${signature}`)).toBe('ok');
  });

  test('accepts the header types JWT and at+jwt in upper and lower case', async () => {
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])
      expect(await verdict(service.token({}, { typ }))).toBe('ok');
  });
});

const at = (seconds: number) => ({ now: () => noon + seconds * 1000 });

describe('a token', () => {
  test('expires at exp plus the clock tolerance', async () => {
    expect(await verdict(service.token(), at(304.999))).toBe('ok');
    expect(await verdict(service.token(), at(305))).toBe('expired');
    expect(await verdict(service.token(), { ...at(300), clockToleranceMs: 0 })).toBe('expired');
    expect(await verdict(service.token(), { ...at(299.999), clockToleranceMs: 0 })).toBe('ok');
  });

  test('becomes valid at nbf minus the clock tolerance', async () => {
    const token = service.token({ nbf: noon / 1000 + 10 });

    expect(await verdict(token, at(4.999))).toBe('not_yet_valid');
    expect(await verdict(token, at(5))).toBe('ok');
  });

  test('becomes valid at iat minus the clock tolerance', async () => {
    const token = service.token({ iat: noon / 1000 + 10 });

    expect(await verdict(token, at(4.999))).toBe('not_yet_valid');
    expect(await verdict(token, at(5))).toBe('ok');
    expect(await verdict(token, { ...at(0), clockToleranceMs: 10_000 })).toBe('ok');
  });

  test.each<[string, Claims, Partial<TokenChecks>, string]>([
    ['with a lifetime of one day is accepted', { exp: noon / 1000 + 86_400 }, {}, 'ok'],
    ['with a lifetime of more than a day is rejected', { exp: noon / 1000 + 86_401 }, {}, 'lives_too_long'],
    [
      'that expires more than a day from now is rejected if iat is missing',
      { iat: undefined, exp: 1e10 },
      {},
      'lives_too_long',
    ],
    [
      'with a lifetime of more than a day is reported as expired after exp',
      { iat: noon / 1000 - 90_000, exp: noon / 1000 - 60 },
      {},
      'expired',
    ],
    [
      'with a lifetime of one week is accepted if maxTokenLifetimeMs allows a week',
      { exp: noon / 1000 + 604_800 },
      { maxTokenLifetimeMs: 604_800_000 },
      'ok',
    ],
    [
      'with a lifetime of any length is accepted if maxTokenLifetimeMs is Infinity',
      { exp: 1e12 },
      { maxTokenLifetimeMs: Infinity },
      'ok',
    ],
    [
      'with a lifetime longer than maxTokenLifetimeMs is rejected',
      { exp: noon / 1000 + 301 },
      { maxTokenLifetimeMs: 300_000 },
      'lives_too_long',
    ],
  ])('%s', async (_, claims, more, expected) => {
    expect(await verdict(service.token(claims), more)).toBe(expected);
  });
});

describe('an expired access token', () => {
  test('is reported as expired, and the result contains the claims', async () => {
    const result = await verifyAccessToken(service.token(), keys, { ...checks, ...at(3600) });

    expect(result).toEqual({ status: 'expired', claims: goodClaims });
  });

  test('is not reported as expired if the issuer is wrong or the signature is forged', async () => {
    const old = service.token({ iss: 'https://elsewhere.example.com', exp: 1 });

    expect(await verdict(old, { issuer: 'https://api.example.com' })).toBe('wrong_issuer');
    expect(await verdict(stranger.token({ exp: 1 }))).toBe('forged');
  });
});

describe('an access token', () => {
  test.each<[string, Partial<TokenChecks>, Claims]>([
    ['no issuer is required', {}, { iss: 'https://elsewhere' }],
    ['the issuer matches', { issuer: 'https://api.example.com' }, {}],
    ['the issuer is in the list of required issuers', { issuer: ['https://a', 'https://api.example.com'] }, {}],
    ['the audience matches', { audience: 'api' }, { aud: 'api' }],
    ['one of several audiences matches', { audience: ['web', 'api'] }, { aud: ['other', 'api'] }],
    ['no audience is required', {}, { aud: 'api' }],
    ['the client id matches', { clientId: 'client_1' }, { client_id: 'client_1' }],
    ['the client id is missing', { clientId: 'client_1' }, {}],
  ])('is accepted if %s', async (_, more, claims) => {
    expect(await verdict(service.token(claims), more)).toBe('ok');
  });

  test.each<[string, Partial<TokenChecks>, Claims, string]>([
    [
      'the issuer only begins with the required issuer',
      { issuer: 'https://api.example.com' },
      { iss: 'https://api.example.com.evil.test' },
      'wrong_issuer',
    ],
    [
      'the issuer has an extra trailing slash',
      { issuer: 'https://api.example.com' },
      { iss: 'https://api.example.com/' },
      'wrong_issuer',
    ],
    ['the required iss claim is missing', { issuer: 'https://api.example.com' }, { iss: undefined }, 'wrong_issuer'],
    ['the issuer is a list', { issuer: 'a' }, { iss: ['b', 'c'] }, 'wrong_issuer'],
    ['the required aud claim is missing', { audience: 'api' }, {}, 'wrong_audience'],
    ['no audience matches', { audience: 'api' }, { aud: ['apis', 'ap'] }, 'wrong_audience'],
    ['the client id does not match', { clientId: 'client_1' }, { client_id: 'client_2' }, 'wrong_client'],
  ])('is rejected if %s', async (_, more, claims, expected) => {
    expect(await verdict(service.token(claims), more)).toBe(expected);
  });
});

describe('an access token', () => {
  test.each<[string, Claims]>([
    ['the sub claim is missing', { sub: undefined }],
    ['the sub claim is empty', { sub: '' }],
    ['the sub claim is a number', { sub: 42 }],
    ['the sid claim is missing', { sid: undefined }],
    ['the sid claim is empty', { sid: '' }],
    ['the exp claim is missing', { exp: undefined }],
    ['the exp claim is a string', { exp: '4102444800' }],
    ['the exp claim is null', { exp: null }],
    ['the iat claim is a string', { iat: '2026-06-01' }],
    ['the nbf claim is a string', { nbf: '0' }],
  ])('is reported as malformed if %s', async (_, claims) => {
    expect(await verdict(service.token(claims))).toBe('malformed');
  });

  test('is reported as malformed if the claims are not a JSON object', async () => {
    for (const claims of ['null', '[]', '42', '"text"', '{"sub":', '']) {
      const token = signed({ alg: 'RS256', kid: service.kid }, claims, (text) =>
        sign('sha256', text, service.privateKey),
      );

      expect(await verdict(token)).toBe('malformed');
    }
  });

  test('is reported as malformed if a claim is named __proto__', async () => {
    const claims = '{"__proto__":{"sub":"user_1","sid":"session_1","exp":4102444800}}';
    const token = signed({ alg: 'RS256', kid: service.kid }, claims, (text) =>
      sign('sha256', text, service.privateKey),
    );

    expect(await verdict(token)).toBe('malformed');
  });
});

describe("an attacker's access token", () => {
  const attacker = { ...stranger.jwk, kid: 'attacker' };
  test.each<[string, Header, string]>([
    ['a public key', { jwk: attacker }, 'forged'],
    ['the URL of a key set', { jku: 'https://evil.test/jwks' }, 'forged'],
    ['a certificate', { x5c: ['MIIB'] }, 'forged'],
    ['the URL of a certificate', { x5u: 'https://evil.test/cert' }, 'forged'],
    ['a critical extension', { crit: ['exp'], exp: 1 }, 'forged'],
    ['the critical extension b64', { crit: ['b64'], b64: true }, 'forged'],
    ['b64: false', { b64: false }, 'forged'],
    ['the type of an ID token', { typ: 'id+jwt' }, 'forged'],
    ['the type of a logout token', { typ: 'logout+jwt' }, 'forged'],
    ['a type that is not a string', { typ: 7 }, 'forged'],
    ['no key id', { kid: undefined }, 'malformed'],
    ['an empty key id', { kid: '' }, 'malformed'],
    ['a number as the key id', { kid: 1 }, 'malformed'],
    ['an unknown key id', { kid: 'key_2' }, 'unknown_key'],
    ['the key id __proto__', { kid: '__proto__' }, 'unknown_key'],
    ['no algorithm', { alg: undefined }, 'malformed'],
    ['the algorithm none', { alg: 'none' }, 'forged'],
    ['the algorithm None', { alg: 'None' }, 'forged'],
    ['the algorithm RS384', { alg: 'RS384' }, 'forged'],
    ['the algorithm PS256', { alg: 'PS256' }, 'forged'],
    ['the algorithm rs256 in lower case', { alg: 'rs256' }, 'forged'],
  ])('is rejected despite a valid signature if the header contains %s', async (_, header, expected) => {
    expect(await verdict(service.token({}, header))).toBe(expected);
  });

  test('is rejected if signed with an unpublished key', async () => {
    expect(await verdict(stranger.token({}, { kid: 'attacker', jwk: attacker }))).toBe('forged');
    expect(await verdict(stranger.token())).toBe('forged');
  });

  test('is rejected if the HMAC secret is the public key in any encoding', async () => {
    const written = [
      service.publicKey.export({ type: 'spki', format: 'pem' }),
      service.publicKey.export({ type: 'spki', format: 'der' }),
      service.publicKey.export({ type: 'pkcs1', format: 'pem' }),
      Buffer.from(String(service.jwk.n), 'base64url'),
      JSON.stringify(service.jwk),
    ];
    for (const secret of written) {
      const token = signed({ alg: 'HS256', kid: service.kid }, goodClaims, (text) =>
        createHmac('sha256', secret).update(text).digest(),
      );

      expect(await verdict(token)).toBe('forged');
    }
  });

  test('is rejected if the signature is not an RS256 signature', async () => {
    const pss = { key: service.privateKey, padding: 6, saltLength: 32 };
    const header = { alg: 'RS256', kid: service.kid };

    expect(await verdict(signed(header, goodClaims, (text) => sign('sha256', text, pss)))).toBe('forged');
    expect(await verdict(signed(header, goodClaims, (text) => sign('sha512', text, service.privateKey)))).toBe(
      'forged',
    );
    expect(await verdict(signed(header, goodClaims, () => new Uint8Array()))).toBe('forged');
    expect(await verdict(signed(header, goodClaims, () => new Uint8Array(256)))).toBe('forged');
  });

  test('is rejected if signed with ES256 under a known key id', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const token = signed({ alg: 'ES256', kid: service.kid }, goodClaims, (text) =>
      sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
    );

    expect(await verdict(token)).toBe('forged');
  });
});

describe('the access token verifier', () => {
  const token = service.token();
  const [head = '', body = '', signature = ''] = token.split('.');
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['an empty string', ''],
    ['a number', 42],
    ['an object', { protected: head, payload: body, signature }],
    ['the JSON serialization of a token', JSON.stringify({ protected: head, payload: body, signature })],
    ['a token without a signature', `${head}.${body}`],
    ['a token that consists of two dots', '..'],
    ['a token with an additional part', `${token}.${signature}`],
    ['a token with a dot at the end', `${token}.`],
    ['a token that contains a space', `${head}. ${body}.${signature}`],
    ['a token with a line break at the end', `${token}\n`],
    ['a token with padding', `${token}==`],
    [
      'a token with changed last bits in the signature',
      token.replace(/.$/, (last) => (last === 'A' ? 'B' : last === 'w' ? 'x' : 'C')),
    ],
    ['a token with characters that base64url does not allow', `${head}.${body}.${signature.slice(0, -2)}+/`],
    ['a token without a JSON header', `${base64url('alg')}.${body}.${signature}`],
    ['a token with an array as the header', `${base64url([])}.${body}.${signature}`],
    ['a percent-encoded token', token.replaceAll('.', '%2E')],
    ['a token with the prefix Bearer', `Bearer ${token}`],
  ])('reports %s as malformed', async (_, given) => {
    // A caller in JavaScript may pass anything.
    expect(await verdict(given as string)).toBe('malformed');
  });

  test('rejects a token with an empty signature', async () => {
    expect(await verdict(`${head}.${body}.`)).toBe('forged');
  });

  test('rejects a token with a replaced header, payload or signature', async () => {
    const other = service.token({ sub: 'user_2' }).split('.');

    expect(await verdict(`${head}.${other[1]}.${signature}`)).toBe('forged');
    expect(await verdict(`${head}.${body}.${other[2]}`)).toBe('forged');
    expect(await verdict(`${base64url({ kid: service.kid, alg: 'RS256' })}.${body}.${signature}`)).toBe('forged');
  });
});

describe('a key set', () => {
  test('that cannot be fetched is reported as keys_unavailable with the cause', async () => {
    const cause = new Error('no route to host');
    const lookup = { status: 'retry_later', reason: 'keys_unavailable', cause, retryAfterMs: 500 } as const;
    const away: KeySet = { generation: 0, failure: cause, key: async () => lookup };

    expect(await verifyAccessToken(service.token(), away, checks)).toEqual({
      status: 'retry_later',
      reason: 'keys_unavailable',
      cause,
      retryAfterMs: 500,
    });
  });

  test('is not searched if the token is malformed or has an unsafe header', async () => {
    let asked = 0;
    const counting: KeySet = {
      generation: 0,
      failure: undefined,
      key(kid) {
        asked++;
        return keys.key(kid);
      },
    };

    await verdict(service.token({}, { alg: 'none' }), {}, counting);
    await verdict(service.token({}, { jwk: service.jwk }), {}, counting);
    await verdict('a.b', {}, counting);

    expect(asked).toBe(0);
  });
});

describe('verifySignature', () => {
  const vectors: {
    readonly key: { readonly kid: string };
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly result: string;
      readonly jws: string;
    }[];
  } = JSON.parse(readFileSync(new URL('./vectors/wycheproof-rs256.json', import.meta.url), 'utf8'));
  const theirKeys = pinnedKeys({ keys: [vectors.key] });

  test.each(vectors.tests)(
    'agrees with Project Wycheproof that vector $tcId ($comment) is $result',
    async ({ jws, result }) => {
      const verified = await verifySignature(jws, theirKeys);

      expect(verified.status === 'ok' ? Buffer.from(verified.payload).toString() : verified.reason).toBe(
        result === 'valid' ? 'foo' : 'forged',
      );
    },
  );

  const valid = vectors.tests.find(({ result }) => result === 'valid')?.jws ?? '';
  const [head = '', body = '', signature = ''] = valid.split('.');
  const flipped = (part: string) => `${part[0] === 'A' ? 'B' : 'A'}${part.slice(1)}`;
  test.each<[string, string]>([
    ['a changed signature', `${head}.${body}.${flipped(signature)}`],
    ['a shortened signature', `${head}.${body}.${signature.slice(0, -4)}`],
    ['a changed payload', `${head}.${flipped(body)}.${signature}`],
    ['a changed header', `${flipped(head)}.${body}.${signature}`],
    ['an unknown key id', `${base64url({ alg: 'RS256', kid: 'other' })}.${body}.${signature}`],
    ['no header', `.${body}.${signature}`],
    ['no payload', `${head}..${signature}`],
    ['no signature', `${head}.${body}.`],
    ['a missing part', `${head}.${signature}`],
    ['an additional part', `${valid}.${signature}`],
    ['the algorithm none', `${base64url({ alg: 'none', kid: vectors.key.kid })}.${body}.`],
    ['JSON serialization', JSON.stringify({ payload: body, protected: head, signature })],
    ['general JSON serialization', JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] })],
  ])('rejects a Project Wycheproof vector with %s', async (_, jws) => {
    expect((await verifySignature(jws, theirKeys)).status).toBe('invalid');
  });
});
