import { describe, expect, test } from 'vitest';
import { passwordRing } from '../../src/crypto/passwords.js';
import { seal } from '../../src/crypto/seal.js';
import { cookieSettings } from '../../src/session/cookie/cookies.js';
import { type FlowContext, type PendingFlow, readFlows, writeFlows } from '../../src/session/sign-in/pending-flows.js';

const now = 1_795_168_800_000;
const tenMinutes = 600_000;
const ring = passwordRing('a password of at least 32 characters');
const kit: FlowContext = { ring, cookie: cookieSettings(), now: () => now };
const laterBy = (ms: number): FlowContext => ({ ...kit, now: () => now + ms });
/** A state and a verifier are 43 characters long. */
const flow = (name: string, more: Partial<PendingFlow> = {}): PendingFlow => ({
  state: `state of ${name}`.padEnd(43, '-'),
  codeVerifier: `verifier of ${name}`.padEnd(43, '-'),
  returnTo: `/${name}`,
  expiresAt: now + tenMinutes,
  ...more,
});
/** The `Cookie` header of a browser that got this `Set-Cookie`. */
const sentBack = (line: string | undefined) => line?.split(';')[0];
const written = (flows: readonly PendingFlow[], previous?: string) => writeFlows(kit, flows, previous);
const read = (header: string | undefined, by = kit) => readFlows(by, header);

test('flows are read as they were written, newest first', async () => {
  const flows = [flow('c'), flow('b', { pendingAuthenticationToken: 'pending' }), flow('a')];

  const [line, ...more] = await written(flows);

  expect(more).toEqual([]);
  expect(await read(sentBack(line))).toEqual(flows);
});

test('the cookie is HttpOnly, Secure and SameSite=Lax, and lasts ten minutes', async () => {
  const [line] = await written([flow('a')]);

  expect(line).toMatch(/^sallyport-session-flow=Fe26\.2\*.+~2; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/);
});

test.each([
  ['strict', 'SameSite=Lax'],
  ['lax', 'SameSite=Lax'],
  ['none', 'SameSite=None'],
] as const)('with a session cookie of SameSite %s it has %s', async (sameSite, attribute) => {
  const cookie = cookieSettings({ sameSite, secure: true, name: '__Host-app' });

  const [line] = await writeFlows({ ...kit, cookie }, [flow('a')], undefined);

  expect(line).toContain(attribute);
  expect(line).toMatch(/^__Host-app-flow=/);
});

describe('five flows at most', () => {
  test('the oldest goes when a sixth comes', async () => {
    const [line] = await written(['f', 'e', 'd', 'c', 'b', 'a'].map((name) => flow(name)));

    const kept = await read(sentBack(line));
    expect(kept.map(({ returnTo }) => returnTo)).toEqual(['/f', '/e', '/d', '/c', '/b']);
  });

  test('five with the longest return paths and tokens fit into one cookie of less than 3,800 bytes', async () => {
    const long = (name: string) =>
      flow(name, { returnTo: `/${name}`.padEnd(1_024, 'x'), pendingAuthenticationToken: 't'.repeat(100) });

    const lines = await written(['e', 'd', 'c', 'b', 'a'].map(long));

    expect(lines).toHaveLength(1);
    expect(lines[0]!.length).toBeLessThan(3_800);
    const kept = await read(sentBack(lines[0]));
    expect(kept).toHaveLength(5);
    expect(kept[0]!.returnTo).toHaveLength(1_024);
  });

  test('where return paths are too long together, the older sign-ins end at the start page', async () => {
    const long = (name: string) => flow(name, { returnTo: `/${name}`.padEnd(700, 'x') });

    const [line] = await written([long('c'), long('b'), long('a'), flow('short')]);

    const kept = await read(sentBack(line));
    expect(kept.map(({ returnTo }) => returnTo.length)).toEqual([700, 700, 1, 6]);
  });
});

test('a flow too old is not written again, and with none left the cookie is cleared', async () => {
  const [both] = await written([flow('young'), flow('old', { expiresAt: now + 1 })]);

  const [one] = await writeFlows(laterBy(1), await read(sentBack(both), laterBy(1)), undefined);
  const none = await writeFlows(kit, [], sentBack(both));

  expect((await read(sentBack(one))).map(({ returnTo }) => returnTo)).toEqual(['/young']);
  expect(none).toEqual(['sallyport-session-flow=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0']);
});

test('nothing is cleared that the browser does not have', async () => {
  expect(await written([], 'other=1')).toEqual([]);
});

describe('an invalid flow cookie holds no flow', () => {
  const other = passwordRing('another password of 32 characters or more');

  test.each([
    ['none', async () => undefined],
    ['garbage', async () => 'garbage'],
    ['a hostile seal', async () => 'Fe26.2*1*a*b*c*d*e*f~2'],
    ['one under another password', () => seal([flow('a')], other)],
    ['a sealed session', () => seal({ accessToken: 'a', refreshToken: 'b', user: { id: 'user_1' } }, ring)],
    ['a list of something else', () => seal([1, null, 'a', { state: 'a' }, { ...flow('a'), expiresAt: '1' }], ring)],
    ['null', () => seal(null, ring)],
  ])('%s', async (_, value) => {
    const text = await value();

    expect(await read(text === undefined ? undefined : `sallyport-session-flow=${text}`)).toEqual([]);
  });
});
