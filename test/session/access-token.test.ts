import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type TokenChecks, verifyAccessToken, verifySignature } from '../../src/crypto/access-token.js';
import { type KeySet, pinnedKeys } from '../../src/crypto/key-set.js';
import { base64url, type Claims, goodClaims, type Header, issuer, noon, signed } from './issuer.js';

const service = issuer();
const stranger = issuer(service.kid);
const keys = pinnedKeys(service.keys);
const checks: TokenChecks = { now: () => noon, clockToleranceMs: 5_000, maxTokenLifetimeMs: 86_400_000 };
const verdict = async (token: string, more: Partial<TokenChecks> = {}, set: KeySet = keys) => {
  const result = await verifyAccessToken(token, set, { ...checks, ...more });
  return 'reason' in result ? result.reason : result.status;
};

describe('an access token', () => {
  test('provides all its claims if it is valid, including those that the application added', async () => {
    const token = service.token({ org_id: 'org_1', 'https://acme.test/plan': 'gold' });

    expect(await verifyAccessToken(token, keys, checks)).toEqual({
      status: 'ok',
      claims: { ...goodClaims, org_id: 'org_1', 'https://acme.test/plan': 'gold' },
    });
  });

  test("is accepted if it was signed with Node's own cryptography", async () => {
    const text = `${base64url({ alg: 'RS256', kid: service.kid })}.${base64url(goodClaims)}`;
    const signature = createSign('RSA-SHA256').update(text).sign(service.privateKey).toString('base64url');

    expect(await verdict(`${text}.${signature}`)).toBe('ok');
  });

  test('may contain a type in its header', async () => {
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])
      expect(await verdict(service.token({}, { typ }))).toBe('ok');
  });
});

describe("a token's validity period", () => {
  const at = (seconds: number) => ({ now: () => noon + seconds * 1000 });

  test('ends at exp plus the tolerance', async () => {
    expect(await verdict(service.token(), at(304.999))).toBe('ok');
    expect(await verdict(service.token(), at(305))).toBe('expired');
    expect(await verdict(service.token(), { ...at(300), clockToleranceMs: 0 })).toBe('expired');
    expect(await verdict(service.token(), { ...at(299.999), clockToleranceMs: 0 })).toBe('ok');
  });

  test('begins at nbf minus the tolerance', async () => {
    const token = service.token({ nbf: noon / 1000 + 10 });

    expect(await verdict(token, at(4.999))).toBe('not_yet_valid');
    expect(await verdict(token, at(5))).toBe('ok');
  });

  test('begins at iat minus the tolerance', async () => {
    const token = service.token({ iat: noon / 1000 + 10 });

    expect(await verdict(token, at(4.999))).toBe('not_yet_valid');
    expect(await verdict(token, at(5))).toBe('ok');
    expect(await verdict(token, { ...at(0), clockToleranceMs: 10_000 })).toBe('ok');
  });

  test.each<[string, Claims, Partial<TokenChecks>, string]>([
    ['a day', { exp: noon / 1000 + 86_400 }, {}, 'ok'],
    ['longer than a day', { exp: noon / 1000 + 86_401 }, {}, 'lives_too_long'],
    ['longer than a day from now, without a time of issue', { iat: undefined, exp: 1e10 }, {}, 'lives_too_long'],
    ['longer than a day and has expired', { iat: noon / 1000 - 90_000, exp: noon / 1000 - 60 }, {}, 'expired'],
    ['a week, if that is allowed', { exp: noon / 1000 + 604_800 }, { maxTokenLifetimeMs: 604_800_000 }, 'ok'],
    ['forever, if that is allowed', { exp: 1e12 }, { maxTokenLifetimeMs: Infinity }, 'ok'],
    ['longer than the option allows', { exp: noon / 1000 + 301 }, { maxTokenLifetimeMs: 300_000 }, 'lives_too_long'],
  ])('is limited to a day, or as the option says: a token that lasts %s', async (_, claims, more, expected) => {
    expect(await verdict(service.token(claims), more)).toBe(expected);
  });

  test('does not hide the claims after it has ended', async () => {
    const result = await verifyAccessToken(service.token(), keys, { ...checks, ...at(3600) });

    expect(result).toEqual({ status: 'expired', claims: goodClaims });
  });

  test('is not mentioned if the token is refused for another reason', async () => {
    const old = service.token({ iss: 'https://elsewhere.example.com', exp: 1 });

    expect(await verdict(old, { issuer: 'https://api.example.com' })).toBe('wrong_issuer');
    expect(await verdict(stranger.token({ exp: 1 }))).toBe('forged');
  });
});

describe('an access token', () => {
  test.each<[string, Partial<TokenChecks>, Claims]>([
    ['any issuer if none is required', {}, { iss: 'https://elsewhere' }],
    ['the required issuer', { issuer: 'https://api.example.com' }, {}],
    ['one of the required issuers', { issuer: ['https://a', 'https://api.example.com'] }, {}],
    ['the required audience', { audience: 'api' }, { aud: 'api' }],
    ['the required audience among several', { audience: ['web', 'api'] }, { aud: ['other', 'api'] }],
    ['any audience if none is required', {}, { aud: 'api' }],
    ['the client of the options', { clientId: 'client_1' }, { client_id: 'client_1' }],
    ['no client', { clientId: 'client_1' }, {}],
  ])('with %s is accepted', async (_, more, claims) => {
    expect(await verdict(service.token(claims), more)).toBe('ok');
  });

  test.each<[string, Partial<TokenChecks>, Claims, string]>([
    [
      'another issuer',
      { issuer: 'https://api.example.com' },
      { iss: 'https://api.example.com.evil.test' },
      'wrong_issuer',
    ],
    [
      'the issuer with a slash',
      { issuer: 'https://api.example.com' },
      { iss: 'https://api.example.com/' },
      'wrong_issuer',
    ],
    ['no issuer when one is required', { issuer: 'https://api.example.com' }, { iss: undefined }, 'wrong_issuer'],
    ['a list in place of the issuer', { issuer: 'a' }, { iss: ['b', 'c'] }, 'wrong_issuer'],
    ['no audience when one is required', { audience: 'api' }, {}, 'wrong_audience'],
    ['another audience', { audience: 'api' }, { aud: ['apis', 'ap'] }, 'wrong_audience'],
    ['another client', { clientId: 'client_1' }, { client_id: 'client_2' }, 'wrong_client'],
  ])('with %s is refused', async (_, more, claims, expected) => {
    expect(await verdict(service.token(claims), more)).toBe(expected);
  });
});

describe('an access token', () => {
  test.each<[string, Claims]>([
    ['no user', { sub: undefined }],
    ['an empty user', { sub: '' }],
    ['a number as its user', { sub: 42 }],
    ['no session', { sid: undefined }],
    ['an empty session', { sid: '' }],
    ['no expiry', { exp: undefined }],
    ['a string as its expiry', { exp: '4102444800' }],
    ['null as its expiry', { exp: null }],
    ['a string as its time of issue', { iat: '2026-06-01' }],
    ['a string as its start time', { nbf: '0' }],
  ])('with %s is malformed', async (_, claims) => {
    expect(await verdict(service.token(claims))).toBe('malformed');
  });

  test('with claims that are not an object is malformed', async () => {
    for (const claims of ['null', '[]', '42', '"text"', '{"sub":', '']) {
      const token = signed({ alg: 'RS256', kid: service.kid }, claims, (text) =>
        sign('sha256', text, service.privateKey),
      );

      expect(await verdict(token)).toBe('malformed');
    }
  });

  test('with a claim called __proto__ is malformed', async () => {
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
    ['its own key', { jwk: attacker }, 'forged'],
    ['the URL of its own keys', { jku: 'https://evil.test/jwks' }, 'forged'],
    ['its own certificate', { x5c: ['MIIB'] }, 'forged'],
    ['the URL of its own certificate', { x5u: 'https://evil.test/cert' }, 'forged'],
    ['a critical extension', { crit: ['exp'], exp: 1 }, 'forged'],
    ['the one critical extension that the library knows', { crit: ['b64'], b64: true }, 'forged'],
    ['an unencoded payload', { b64: false }, 'forged'],
    ['another type', { typ: 'id+jwt' }, 'forged'],
    ['a logout token', { typ: 'logout+jwt' }, 'forged'],
    ['a type that is not a string', { typ: 7 }, 'forged'],
    ['no key id', { kid: undefined }, 'malformed'],
    ['an empty key id', { kid: '' }, 'malformed'],
    ['a number as key id', { kid: 1 }, 'malformed'],
    ['an unknown key id', { kid: 'key_2' }, 'unknown_key'],
    ['a key id that is a property of every object', { kid: '__proto__' }, 'unknown_key'],
    ['no algorithm', { alg: undefined }, 'malformed'],
    ['alg none', { alg: 'none' }, 'forged'],
    ['alg None', { alg: 'None' }, 'forged'],
    ['RS384', { alg: 'RS384' }, 'forged'],
    ['PS256', { alg: 'PS256' }, 'forged'],
    ['rs256', { alg: 'rs256' }, 'forged'],
  ])('with %s is refused, although the signature is right', async (_, header, expected) => {
    expect(await verdict(service.token({}, header))).toBe(expected);
  });

  test('is refused if it contains its own key under another key id', async () => {
    expect(await verdict(stranger.token({}, { kid: 'attacker', jwk: attacker }))).toBe('forged');
    expect(await verdict(stranger.token())).toBe('forged');
  });

  test('is refused if it is signed by HMAC with the public key, in any encoding, as the secret', async () => {
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

  test('is refused if the right key signed it with another algorithm', async () => {
    const pss = { key: service.privateKey, padding: 6, saltLength: 32 };
    const header = { alg: 'RS256', kid: service.kid };

    expect(await verdict(signed(header, goodClaims, (text) => sign('sha256', text, pss)))).toBe('forged');
    expect(await verdict(signed(header, goodClaims, (text) => sign('sha512', text, service.privateKey)))).toBe(
      'forged',
    );
    expect(await verdict(signed(header, goodClaims, () => new Uint8Array()))).toBe('forged');
    expect(await verdict(signed(header, goodClaims, () => new Uint8Array(256)))).toBe('forged');
  });

  test('is refused if it names ES256 and a known key id', async () => {
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
    ['two dots', '..'],
    ['a token with an additional part', `${token}.${signature}`],
    ['a token with a dot at its end', `${token}.`],
    ['a token that contains a space', `${head}. ${body}.${signature}`],
    ['a token with a line break at its end', `${token}\n`],
    ['a token with padding', `${token}==`],
    [
      'a token with changed last bits in its signature',
      token.replace(/.$/, (last) => (last === 'A' ? 'B' : last === 'w' ? 'x' : 'C')),
    ],
    ['a token with characters that base64url does not allow', `${head}.${body}.${signature.slice(0, -2)}+/`],
    ['a token without a JSON header', `${base64url('alg')}.${body}.${signature}`],
    ['a token with an array as its header', `${base64url([])}.${body}.${signature}`],
    ['a percent-encoded token', token.replaceAll('.', '%2E')],
    ['a token after the word Bearer', `Bearer ${token}`],
  ])('reports %s as malformed', async (_, given) => {
    // A caller in JavaScript may pass anything.
    expect(await verdict(given as string)).toBe('malformed');
  });

  test('refuses an empty signature', async () => {
    expect(await verdict(`${head}.${body}.`)).toBe('forged');
  });

  test('refuses a token if its header, claims or signature was replaced', async () => {
    const other = service.token({ sub: 'user_2' }).split('.');

    expect(await verdict(`${head}.${other[1]}.${signature}`)).toBe('forged');
    expect(await verdict(`${head}.${body}.${other[2]}`)).toBe('forged');
    expect(await verdict(`${base64url({ kid: service.kid, alg: 'RS256' })}.${body}.${signature}`)).toBe('forged');
  });
});

describe('a key set that cannot be fetched', () => {
  test('is reported with its cause, and is not blamed on the token', async () => {
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

  test('does not prevent the refusal of a token for another reason', async () => {
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

describe('the Project Wycheproof vectors for RS256', () => {
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

  test.each(vectors.tests)('have the expected result: vector $tcId ($comment) is $result', async ({ jws, result }) => {
    const verified = await verifySignature(jws, theirKeys);

    expect(verified.status === 'ok' ? Buffer.from(verified.payload).toString() : verified.reason).toBe(
      result === 'valid' ? 'foo' : 'forged',
    );
  });

  const valid = vectors.tests.find(({ result }) => result === 'valid')?.jws ?? '';
  const [head = '', body = '', signature = ''] = valid.split('.');
  const flipped = (part: string) => `${part[0] === 'A' ? 'B' : 'A'}${part.slice(1)}`;
  test.each<[string, string]>([
    ['a changed signature', `${head}.${body}.${flipped(signature)}`],
    ['a shortened signature', `${head}.${body}.${signature.slice(0, -4)}`],
    ['a changed payload', `${head}.${flipped(body)}.${signature}`],
    ['a changed header', `${flipped(head)}.${body}.${signature}`],
    ['another key id', `${base64url({ alg: 'RS256', kid: 'other' })}.${body}.${signature}`],
    ['no header', `.${body}.${signature}`],
    ['no payload', `${head}..${signature}`],
    ['no signature', `${head}.${body}.`],
    ['a missing part', `${head}.${signature}`],
    ['an additional part', `${valid}.${signature}`],
    ['alg none', `${base64url({ alg: 'none', kid: vectors.key.kid })}.${body}.`],
    ['JSON serialization', JSON.stringify({ payload: body, protected: head, signature })],
    ['general JSON serialization', JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] })],
  ])('are refused by the verifier with %s', async (_, jws) => {
    expect((await verifySignature(jws, theirKeys)).status).toBe('invalid');
  });
});
