import { createCipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { inspect } from 'node:util';
import { defaults, seal as ironSeal, unseal as ironUnseal } from 'iron-webcrypto';
import { ConfigurationError, InvalidArgumentError } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { type Password, passwordRing, seal, unseal } from '../../src/crypto/seal.js';
import fc from '../runner/property.js';
import { noon } from './issuer.js';

const secret = 'correct horse battery staple, twice over';
const ring = passwordRing(secret);

describe('a seal', () => {
  test('can be opened to recover the sealed value', async () => {
    const value = { user: { name: 'Zoë 李', nothing: null }, list: [1, 2.5, true] };

    const opened = await unseal(await seal(value, ring), ring);

    expect(opened).toEqual({ status: 'ok', value, entry: { id: '1', secret }, outdated: false, expiresAt: undefined });
  });

  test('contains only characters that are allowed in a cookie', async () => {
    const text = await seal({ secret: 'in the clear?' }, ring);

    expect(text).toMatch(/^Fe26\.2\*1\*[0-9a-f]{64}\*[\w-]{22}\*[\w-]+\*\*[0-9a-f]{64}\*[\w-]{43}~2$/);
    expect(text).not.toContain('clear');
  });

  test('is different each time the same value is sealed', async () => {
    expect(await seal('same', ring)).not.toBe(await seal('same', ring));
  });

  test('can contain only values that JSON can express', async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;

    for (const value of [null, 0, '', 'text', [], { at: new Date(0), left: undefined }])
      expect((await unseal(await seal(value, ring), ring)).status).toBe('ok');
    for (const value of [undefined, circle, 1n, () => 1])
      await expect(seal(value, ring)).rejects.toBeInstanceOf(InvalidArgumentError);
  });

  test('with a time limit expires one minute after the limit', async () => {
    const text = await seal('soon gone', ring, { ttlMs: 600_000, now: noon });

    expect(await unseal(text, ring, { now: noon + 659_999 })).toMatchObject({
      status: 'ok',
      expiresAt: noon + 600_000,
    });
    expect(await unseal(text, ring, { now: noon + 660_000 })).toEqual({ status: 'invalid', reason: 'expired' });
  });

  test('with a changed time limit is rejected as forged', async () => {
    const text = await seal('soon gone', ring, { ttlMs: 600_000, now: noon });

    const longer = text.replace(`*${noon + 600_000}*`, `*${noon + 900_000}*`);
    const shorter = text.replace(`*${noon + 600_000}*`, '*1000*');

    expect(await unseal(longer, ring, { now: noon })).toEqual({ status: 'invalid', reason: 'forged' });
    expect(await unseal(shorter, ring, { now: noon })).toEqual({ status: 'invalid', reason: 'forged' });
  });

  test('with a known password id but a wrong password is rejected as forged', async () => {
    const text = await seal('x', passwordRing('another password of thirty-two letters'));

    expect(await unseal(text, ring)).toEqual({ status: 'invalid', reason: 'forged' });
  });

  test('of text that is not JSON is rejected as malformed, even if the password is right', async () => {
    const text = `${await ironSeal('x', { id: '1', secret }, { ...defaults, encode: () => '{"cut' })}~2`;

    expect(await unseal(text, ring)).toEqual({ status: 'invalid', reason: 'malformed' });
  });

  test('of JSON that is not encoded as UTF-8 is rejected as malformed', async () => {
    const salt = 'a'.repeat(64);
    const key = pbkdf2Sync(secret, salt, 1, 32, 'sha1');
    const sealed = (json: Uint8Array) => {
      const cipher = createCipheriv('aes-256-cbc', key, Buffer.alloc(16));
      const content = Buffer.concat([cipher.update(json), cipher.final()]).toString('base64url');
      const text = `Fe26.2*1*${salt}*${Buffer.alloc(16).toString('base64url')}*${content}*`;
      return `${text}*${salt}*${createHmac('sha256', key).update(text).digest('base64url')}~2`;
    };

    expect(await unseal(sealed(Buffer.from('"\u00fc"', 'utf8')), ring)).toMatchObject({ status: 'ok', value: 'ü' });
    expect(await unseal(sealed(Buffer.from('"\u00fc"', 'latin1')), ring)).toEqual({
      status: 'invalid',
      reason: 'malformed',
    });
  });

  test('is compatible with iron-webcrypto in both directions for random values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (json) => {
        const value: unknown = JSON.parse(json);

        const theirs = `${await ironSeal(value, { id: '1', secret }, defaults)}~2`;
        const ours = await seal(value, ring);

        expect(await unseal(theirs, ring)).toMatchObject({ status: 'ok', value });
        expect(await ironUnseal(ours.slice(0, -2), { 1: secret }, defaults)).toEqual(value);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a seal', () => {
  const spellings: Readonly<Record<string, (text: string) => string>> = {
    'padding after the signature': (text) => text.replace('~2', '=~2'),
    'changed last bits of the signature': (text) =>
      text.replace(/(.)~2$/, (_, last: string) => `${nextLetter(last)}~2`),
    'characters that base64url does not allow': (text) =>
      text
        .replace(/[\w-]{43}~2$/, (part) => part.replaceAll('-', '+').replaceAll('_', '/'))
        .replace(/[\w-]{43}~2$/, '+$&'),
    'an uppercase salt': (text) => text.replace(/[0-9a-f]{64}(?=\*[\w-]{43}~2$)/, (salt) => salt.toUpperCase()),
    'no version mark': (text) => text.replace('~2', ''),
    'the unknown version mark ~3': (text) => text.replace('~2', '~3'),
    'a version mark that has a leading zero': (text) => text.replace('~2', '~02'),
    'two version marks': (text) => `${text}~2`,
    'an extra part at the end': (text) => text.replace('~2', '*~2'),
    'an extra part at the start': (text) => `*${text}`,
    'a leading space': (text) => ` ${text}`,
    'a trailing line break': (text) => `${text}\n`,
    'percent-encoded separators': (text) => encodeURIComponent(text).replaceAll('*', '%2A').replaceAll('~', '%7E'),
    'one percent-encoded character': (text) => text.replace('Fe26', '%46e26'),
    'a lowercase prefix': (text) => text.replace('Fe26', 'fe26'),
    'quotation marks around the text': (text) => `"${text}"`,
    'a full-width F in the prefix': (text) => text.replace('F', 'Ｆ'),
    'a leading byte order mark': (text) => `\uFEFF${text}`,
  };
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const nextLetter = (letter: string) => letters[letters.indexOf(letter) + 1] ?? 'B';

  test.each(Object.entries(spellings))('with %s is rejected', async (_, spell) => {
    const text = await seal({ user: 'ada' }, ring);
    const respelt = spell(text);

    expect(respelt).not.toBe(text);
    expect(await unseal(text, ring)).toMatchObject({ status: 'ok' });
    expect(await unseal(respelt, ring)).toMatchObject({
      status: 'invalid',
      reason: expect.stringMatching(/^(malformed|forged)$/),
    });
  });

  test('with no password id or with too many characters is rejected', async () => {
    const nameless = `${await ironSeal('x', secret, defaults)}~2`;
    const long = await seal('x'.repeat(60_000), ring);

    expect(await unseal(nameless, ring)).toEqual({ status: 'invalid', reason: 'malformed' });
    expect(await unseal(long, ring)).toEqual({ status: 'invalid', reason: 'malformed' });
  });

  test('that is not a string is rejected', async () => {
    // A caller in JavaScript may pass anything.
    for (const value of [undefined, null, 42, {}, ['Fe26.2']])
      expect(await unseal(value as string, ring)).toEqual({ status: 'invalid', reason: 'malformed' });
  });
});

describe('a list of passwords', () => {
  const june = { id: '2026_06', secret: 'the password of june, long enough by far' };
  const old = { id: '1', secret };

  test('uses the first password for new seals, and reports seals with a later password as outdated', async () => {
    const both = passwordRing([june, old]);

    const fresh = await unseal(await seal('x', both), both);
    const earlier = await unseal(await seal('x', ring), both);

    expect(fresh).toMatchObject({ status: 'ok', entry: june, outdated: false });
    expect(earlier).toMatchObject({ status: 'ok', entry: old, outdated: true });
  });

  test('does not open a seal made with a removed password', async () => {
    const text = await seal('x', ring);

    expect(await unseal(text, passwordRing([june]))).toEqual({ status: 'invalid', reason: 'unknown_password' });
  });

  test('does not open a seal with the password id __proto__', async () => {
    const text = (await seal('x', ring)).replace('Fe26.2*1*', 'Fe26.2*__proto__*');

    expect(await unseal(text, ring)).toEqual({ status: 'invalid', reason: 'unknown_password' });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['an empty string', ''],
    ['a password of 31 characters', 'x'.repeat(31)],
    ['an empty list', []],
    ['a valid and a short password', [june, { id: '1', secret: 'short' }]],
    ['two passwords that share an id', [june, { ...old, id: june.id }]],
    ['a password id that contains an asterisk', [{ id: 'a*b', secret }]],
    ['an empty password id', [{ id: '', secret }]],
    ['a password that is a number', [{ id: '1', secret: 42 }]],
  ])('rejects %s with an error that contains no password', (_, password) => {
    const attempt = () => passwordRing(password as Password);

    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).not.toThrow(/june|battery|short\b(?!er)/);
  });

  test('accepts a password of 32 characters', () => {
    expect(passwordRing('x'.repeat(32)).first().id).toBe('1');
  });

  test('is printed without its passwords', () => {
    const both = passwordRing([june, old]);

    expect(inspect(both, { depth: 9, showHidden: true }) + JSON.stringify(both)).not.toMatch(/june|battery/);
  });
});
