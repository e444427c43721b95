import { createSessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { cookiesAfter } from '../../src/adapters/next-proxy.js';
import { cookieSettings, readCookies, writeCookies } from '../../src/session/cookie/cookies.js';
import fc from '../runner/property.js';

const name = 'sallyport-session';
const flowName = `${name}-flow-${'a'.repeat(16)}`;
/** Node refuses requests with more header bytes. */
const maxHeaderBytes = 16_384;
/** More than ten times as long as the slowest header takes. */
const generousMs = 100;

const sessions = createSessions({
  cookiePassword: 'correct-horse-battery-staple-0001',
  clientId: 'client_1',
  apiKey: 'sk_test_1234567890',
  redirectUri: 'https://app.example.com/callback',
  baseUrl: 'https://api.example.com',
  fetch: () => Promise.reject(new Error('A hostile cookie must not cause a request')),
});

/** Chunks that fit together in every way, with `firsts` values for the first chunk and `others` for each of the other three. */
const chunksThatFit = (called: string, firsts: number, others: number): string =>
  [
    ...Array.from({ length: firsts }, (_, at) => `${called}.0=4~${at}`),
    ...[1, 2, 3].flatMap((chunk) => Array.from({ length: others }, (_, at) => `${called}.${chunk}=${at}`)),
  ].join('; ');

const sealLike = `Fe26.2*1*${'a'.repeat(64)}*${'b'.repeat(22)}*`;
const value = fc.oneof(
  fc.constantFrom(
    '',
    '"',
    '=',
    '2~',
    '3~x',
    '9~x',
    sealLike,
    `4~${sealLike}`,
    `*${'c'.repeat(64)}*${'d'.repeat(42)}A~2`,
  ),
  fc.integer({ min: 2, max: 9 }).map((count) => `${count}~${sealLike}${'x'.repeat(count * 40)}`),
  fc.string({ maxLength: 6 }),
  fc.nat(99).map(String),
);
const suffix = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 9 }).map((chunk) => `.${chunk}`) },
  { weight: 1, arbitrary: fc.constantFrom('', '.', '.00', '.12345678901234567890', 'x', '.0.0') },
);
/** Cookies of a few forms, repeated until the header is as long as Node accepts. */
const hostile = fc.record({
  base: fc.constantFrom(name, flowName, 'a'),
  forms: fc.array(fc.tuple(suffix, value), { minLength: 1, maxLength: 12 }),
  isNumbered: fc.boolean(),
  separator: fc.constantFrom('; ', ';', ' ; ;'),
});
type Hostile = typeof hostile extends fc.Arbitrary<infer T> ? T : never;

function headerOf({ base, forms, isNumbered, separator }: Hostile): string {
  let header = '';
  for (let at = 0; ; at++) {
    const [end, text] = forms[at % forms.length]!;
    const next = `${base}${end}=${text}${isNumbered ? at : ''}${separator}`;
    if (header.length + next.length > maxHeaderBytes) return header;
    header += next;
  }
}

/** Milliseconds of the fastest of three runs, because other processes slow down single runs. */
async function fastestMs(run: () => unknown): Promise<number> {
  let fastest = Infinity;
  for (let attempt = 0; attempt < 3 && fastest > generousMs; attempt++) {
    const began = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(began);
    fastest = Math.min(fastest, (user + system) / 1_000);
  }
  return fastest;
}

const everyReader = async (cookie: string) => {
  const headers = { cookie };
  await sessions.handle({ headers });
  await sessions.read(cookie);
  await sessions.signOut({ headers });
  await sessions.finishSignIn({ url: '/callback?code=1&state=2', headers });
};

describe("an attacker's Cookie header", () => {
  test.each([
    ['450 first chunks and 33 of each later chunk', chunksThatFit(name, 450, 33)],
    ['130 copies of each chunk', chunksThatFit(name, 130, 130)],
    ['700 whole cookies', Array.from({ length: 700 }, (_, at) => `${name}=${at}`).join('; ')],
  ])('with %s yields at most 8 session values', (_, header) => {
    expect(header.length).toBeLessThan(maxHeaderBytes);
    expect(readCookies(header, name)).toHaveLength(8);
  });

  test('with random cookies yields at most 8 session values', () => {
    fc.assert(
      fc.property(hostile, (forms) => {
        const header = headerOf(forms);
        for (const one of [name, flowName, 'a']) expect(readCookies(header, one).length).toBeLessThanOrEqual(8);
      }),
    );
  });

  test.each([
    ['450 first chunks of the session cookie', chunksThatFit(name, 450, 33)],
    ['130 copies of each chunk of the session cookie', chunksThatFit(name, 130, 130)],
    ['300 first chunks of a pending sign-in', chunksThatFit(flowName, 300, 30)],
  ])('with %s does not block the process', async (_, header) => {
    expect(await fastestMs(() => everyReader(header))).toBeLessThan(generousMs);
  });

  test('with the maximum number of sealed sign-in flows does not block the process', async () => {
    const flows: string[] = [];
    for (let bytes = 0; bytes < maxHeaderBytes - 500; bytes = flows.join('; ').length) {
      const { headers } = await sessions.startSignIn({ headers: {} });
      flows.push(headers.getSetCookie()[0]!.split(';')[0]!);
    }
    const header = flows.join('; ');

    expect(flows.length).toBeGreaterThan(35);
    expect(await fastestMs(() => everyReader(header))).toBeLessThan(generousMs);
  });

  test('with random cookies does not block the process', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (forms) => {
        const header = headerOf(forms);
        expect(await fastestMs(() => everyReader(header))).toBeLessThan(generousMs);
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  test('with 5,000 cookies does not block the Next.js proxy', async () => {
    const headers = new Headers();
    for (let at = 0; at < 32; at++) headers.append('set-cookie', `${name}.${at}=; Path=/; Max-Age=0`);
    const header = Array.from({ length: 5_000 }, () => 'a=').join(';');

    expect(await fastestMs(() => cookiesAfter(header, headers))).toBeLessThan(generousMs);
  });
});

describe('given session cookies from several paths, the cookie reader', () => {
  const settings = cookieSettings();
  /**
   * The cookies that a browser sends for these values: those of the longer path first, and those of one path in the
   * order they were set.
   */
  const sent = (...values: string[]) =>
    values.flatMap((one) => writeCookies(one, null, settings)!.map((line) => line.split(';')[0])).join('; ');
  const a = (length: number) => 'a'.repeat(length);
  const b = (length: number) => 'b'.repeat(length);
  const c = (length: number) => 'c'.repeat(length);
  /** The values that are found, with a run of letters as its length, so that a failure can be read. */
  const found = (header: string) =>
    readCookies(header, name).map(({ text }) =>
      text.replace(/(.)\1+/g, (run, letter) => `${letter}${run.length} `).trim(),
    );

  test.each([
    ['tries two sets of 2 chunks before mixed sets', sent(a(5_000), b(5_000)), ['a5000', 'b5000']],
    ['tries two sets of 3 chunks before mixed sets', sent(a(7_600), b(7_600)), ['a7600', 'b7600']],
    ['tries a set of 3 chunks and a set of 2 before mixed sets', sent(a(7_600), b(5_000)), ['a7600', 'b5000']],
    ['tries a set of 2 chunks and a set of 3 before mixed sets', sent(a(5_000), b(7_600)), ['a5000', 'b7600']],
    ['tries a set of 2 chunks and a whole cookie before mixed sets', sent(a(5_000), b(9)), ['a5000', 'b9']],
    ['tries a whole cookie and a set of 4 chunks before mixed sets', sent(a(9), b(12_000)), ['b12000', 'a9']],
    ['tries three sets of 2 chunks before mixed sets', sent(a(4_000), b(4_000), c(4_000)), ['a4000', 'b4000', 'c4000']],
    [
      'tries three sets of 2 chunks and a whole cookie before mixed sets',
      `${sent(a(4_000), b(4_000), c(4_000))}; ${name}=whole`,
      ['a4000', 'b4000', 'c4000', 'whole'],
    ],
    [
      'skips 400 incomplete sets and tries the complete set before the whole cookie',
      `${Array.from({ length: 400 }, (_, at) => `${name}.0=5~${at}`).join('; ')}; ${sent(a(4_000))}; ${name}=whole`,
      ['a4000', 'whole'],
    ],
  ])('%s', (_, header, values) => {
    expect(header.length).toBeLessThan(maxHeaderBytes);
    expect(found(header).slice(0, values.length)).toEqual(values);
  });
});
