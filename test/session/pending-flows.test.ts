import { describe, expect, test } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { cookieSettings } from '../../src/session/cookie/cookies.js';
import {
  type Flow,
  type FlowContext,
  findFlow,
  flowPath,
  maxTokenLength,
  rememberFlow,
  stateOf,
} from '../../src/session/sign-in/pending-flows.js';
import { Jar } from './jar.js';

const now = 1_795_168_800_000;
const tenMinutes = 600_000;
const ring = passwordRing('a password of at least 32 characters');
const kit: FlowContext = { ring, cookie: cookieSettings(), now: () => now };
const codeVerifier = 'verifier'.padEnd(43, '-');
const flow = (more: Partial<Flow> = {}): Flow => ({ returnTo: '/reports', expiresAt: now + tenMinutes, ...more });

/** Start a flow in a browser. Returns its state. */
async function started(jar: Jar, of: Flow = flow(), by = kit): Promise<string> {
  const state = await stateOf(of, by);
  jar.keep(await rememberFlow(by, { state, codeVerifier }, '/callback', jar.header));
  return state;
}
const found = (state: string | null, jar: Jar, by = kit) => findFlow(by, state, '/callback', jar.header);

describe('a sign-in flow', () => {
  test('is restored unchanged in the browser that started the sign-in', async () => {
    const jar = new Jar();
    const whole = flow({
      cookiePath: '/other',
      pendingAuthenticationToken: 'pending',
      organizationId: 'org_1',
      redirectUri: 'https://app.example.com/callback',
      data: { plan: 'pro', seats: [1, null] },
    });

    const state = await started(jar, whole);

    expect(await found(state, jar)).toMatchObject({ flow: whole, codeVerifier, hasFlows: true });
  });

  test('that is read in a different browser does not include the code verifier', async () => {
    const state = await started(new Jar());

    expect(await found(state, new Jar())).toMatchObject({ flow: flow(), codeVerifier: undefined, hasFlows: false });
  });

  test('can still be read from the state after a year', async () => {
    const state = await started(new Jar());

    const later = { ...kit, now: () => now + 365 * 86_400_000 };

    expect((await found(state, new Jar(), later)).flow).toEqual(flow());
  });

  test('has a state of letters, digits, dots, hyphens and underscores', async () => {
    expect(await stateOf(flow(), kit)).toMatch(/^[\w.-]{280,320}$/);
  });

  test('has a different state each time', async () => {
    expect(await stateOf(flow(), kit)).not.toBe(await stateOf(flow(), kit));
  });

  test('returns the user to the start page if the return path is too long', async () => {
    const data = 'x'.repeat(1_000);
    const long = await stateOf(flow({ data, returnTo: `/${'p'.repeat(700)}` }), kit);
    const short = await stateOf(flow({ data, returnTo: `/${'p'.repeat(200)}` }), kit);

    expect((await found(long, new Jar())).flow).toEqual(flow({ data, returnTo: '/' }));
    expect((await found(short, new Jar())).flow?.returnTo).toHaveLength(201);
    const below = await stateOf(flow({ data, returnTo: `/docs/${'p'.repeat(700)}` }), kit, '/docs');
    expect((await found(below, new Jar())).flow?.returnTo).toBe('/docs');
  });

  test('with a token of maximum length has a state of at most 2,100 characters', async () => {
    const one = flow({ redirectUri: 'https://app.example.com/callback' });
    const token = 't'.repeat(maxTokenLength(one));

    const state = await stateOf({ ...one, pendingAuthenticationToken: token }, kit);

    expect(token.length).toBeGreaterThan(1_200);
    expect(state.length).toBeGreaterThan(2_000);
    expect(state.length).toBeLessThanOrEqual(2_100);
    expect((await found(state, new Jar())).flow?.pendingAuthenticationToken).toBe(token);
  });
});

describe("a sign-in flow's cookie", () => {
  test('is limited to the callback path and expires after ten minutes', async () => {
    const state = await stateOf(flow(), kit);

    const [line, ...more] = await rememberFlow(kit, { state, codeVerifier }, '/callback', undefined);

    expect(more).toEqual([]);
    expect(line).toMatch(
      /^sallyport-session-flow-[\w-]{16}=Fe26\.2\*.+~2; Path=\/callback; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/,
    );
    expect(line).not.toContain(codeVerifier);
  });

  test('has at most 700 bytes, even with the longest possible name and password id', async () => {
    const longest = {
      ...kit,
      ring: passwordRing([{ id: 'i'.repeat(64), secret: 'a password of at least 32 characters' }]),
      cookie: cookieSettings({ name: 'n'.repeat(128) }),
    };
    const jar = new Jar();

    await started(jar, flow({ data: 'x'.repeat(1_000), pendingAuthenticationToken: 't'.repeat(300) }), longest);

    expect(jar.header.length).toBeGreaterThan(500);
    expect(jar.header.length).toBeLessThanOrEqual(700);
  });

  test.each([
    ['strict', 'SameSite=Lax'],
    ['lax', 'SameSite=Lax'],
    ['none', 'SameSite=None'],
  ] as const)('with the sameSite option %s has the attribute %s', async (sameSite, attribute) => {
    const cookie = cookieSettings({ sameSite, secure: true });

    const [line] = await rememberFlow({ ...kit, cookie }, { state: 'state', codeVerifier }, '/callback', undefined);

    expect(line).toContain(attribute);
  });

  test('has the path / if the name has the prefix __Host-', async () => {
    const cookie = cookieSettings({ name: '__Host-app' });

    const [line] = await rememberFlow({ ...kit, cookie }, { state: 'state', codeVerifier }, '/callback', undefined);

    expect(line).toMatch(/^__Host-app-flow-[\w-]{16}=.+; Path=\/; HttpOnly; Secure; /);
  });

  test.each([
    ['https://app.example.com/callback', '/callback'],
    ['https://app.example.com/callback/', '/callback'],
    ['https://app.example.com/app/callback', '/app/callback'],
    ['https://app.example.com/', '/'],
    ['https://app.example.com', '/'],
    ['https://app.example.com/call;back', '/'],
    ['https://app.example.com/$$/callback', '/$$/callback'],
  ])('for the redirect URI %s has the path %s', (redirectUri, path) => {
    expect(flowPath(redirectUri)).toBe(path);
  });

  test('keeps dollar signs in the path', async () => {
    const [line] = await rememberFlow(kit, { state: 'state', codeVerifier }, '/$$/callback', undefined);

    expect(line).toContain('; Path=/$$/callback; ');
  });

  test('is cleared with the cookie path of the flow', async () => {
    const jar = new Jar();
    const state = await started(jar, flow({ cookiePath: '/other' }));

    expect((await found(state, jar)).own).toEqual([
      expect.stringMatching(/^sallyport-session-flow-[\w-]{16}=; Path=\/other; HttpOnly; Secure; .+; Max-Age=0$/),
    ]);
  });
});

describe('a callback in a browser with several flows', () => {
  /** Start flows at the same time, as tabs do: none sees the cookie of another. */
  async function tabs(count: number): Promise<{ readonly jar: Jar; readonly states: readonly string[] }> {
    const jar = new Jar();
    const states: string[] = [];
    for (let tab = 0; tab < count; tab++) {
      const at = { ...kit, now: () => now + tab };
      const state = await stateOf(flow({ returnTo: `/tab/${tab}` }), at);
      jar.keep(await rememberFlow(at, { state, codeVerifier }, '/callback', undefined));
      states.push(state);
    }
    return { jar, states };
  }

  test.each([0, 7, 19])('finds the flow of tab %i and keeps the five newest remaining flows', async (tab) => {
    const { jar, states } = await tabs(20);

    const one = await found(states[tab]!, jar);
    jar.keep([...one.own, ...one.surplus]);

    expect(one).toMatchObject({ flow: { returnTo: `/tab/${tab}` }, codeVerifier });
    expect(one.surplus).toHaveLength(14);
    expect(jar.names).toHaveLength(5);
    const newest = [19, 18, 17, 16, 15, 14].filter((other) => other !== tab).slice(0, 5);
    for (const other of newest) expect((await found(states[other]!, jar)).codeVerifier).toBe(codeVerifier);
  });

  test('finds the first of sixty flows', async () => {
    const { jar, states } = await tabs(60);

    expect((await found(states[0]!, jar)).codeVerifier).toBe(codeVerifier);
  });

  test('finds the flow among sixty cookies that a different host has set', async () => {
    const { jar, states } = await tabs(1);
    for (let at = 0; at < 60; at++) jar.keep([`sallyport-session-flow-${String(at).padStart(16, '0')}=x`]);

    expect((await found(states[0]!, jar)).codeVerifier).toBe(codeVerifier);
  });

  test('clears no cookie of a pending flow if at most five flows remain', async () => {
    const { jar, states } = await tabs(6);

    expect((await found(states[0]!, jar)).surplus).toEqual([]);
  });

  test('clears unreadable cookies before the cookies of valid flows', async () => {
    const { jar, states } = await tabs(5);
    for (const letter of 'abcdefghijklmnop') jar.keep([`sallyport-session-flow-${letter.repeat(16)}=garbage`]);

    jar.keep((await found('another state', jar)).surplus);

    expect(jar.names).toHaveLength(5);
    for (const state of states) expect((await found(state, jar)).codeVerifier).toBe(codeVerifier);
  });

  test('does not find a flow older than the five newest if the sign-ins start one after another', async () => {
    const jar = new Jar();
    const states: string[] = [];
    for (let at = 0; at < 8; at++) states.push(await started(jar, flow(), { ...kit, now: () => now + at }));

    expect(jar.names).toHaveLength(5);
    expect((await found(states[7]!, jar)).codeVerifier).toBe(codeVerifier);
    expect((await found(states[2]!, jar)).codeVerifier).toBeUndefined();
  });
});

describe('a flow is treated as started in a different browser if the flow cookie', () => {
  const other = passwordRing('another password of 32 characters or more');

  test.each<[string, (id: string) => Promise<string>]>([
    ['is garbage', async () => 'garbage'],
    ['is a malformed seal', async () => 'Fe26.2*1*a*b*c*d*e*f~2'],
    ['was sealed with a different password', (id) => seal({ id, codeVerifier }, other)],
    ['belongs to a different state', () => seal({ id: 'a'.repeat(16), codeVerifier }, ring)],
    ['contains no verifier', (id) => seal({ id }, ring)],
    ['contains a session', () => seal({ accessToken: 'a', refreshToken: 'b', user: { id: 'user_1' } }, ring)],
    ['contains null', () => seal(null, ring)],
    ['has expired', (id) => seal({ id, codeVerifier }, ring, { ttlMs: tenMinutes, now: now - tenMinutes - 60_000 })],
  ])('%s', async (_, value) => {
    const jar = new Jar();
    const state = await started(jar);
    const [name = ''] = jar.names;

    jar.keep([`${name}=${await value(name.slice(-16))}`]);

    expect(await found(state, jar)).toMatchObject({ flow: flow(), codeVerifier: undefined, hasFlows: false });
  });
});

describe('a callback has no flow if the state', () => {
  test.each<[string, () => Promise<string | null>]>([
    ['is missing', async () => null],
    ['is empty', async () => ''],
    ['is short', async () => 'x'],
    ['only has the length of a valid state', async () => 'x'.repeat(300)],
    ['was modified', async () => `${(await stateOf(flow(), kit)).slice(0, -1)}_`],
    [
      'was sealed with a different password',
      () => stateOf(flow(), { ...kit, ring: passwordRing('another password of 32 characters or more') }),
    ],
    [
      'is a sealed session',
      async () =>
        (await seal({ accessToken: 'a', refreshToken: 'b', user: { id: 'user_1' } }, ring))
          .slice('Fe26.2*'.length, -'~2'.length)
          .replaceAll('*', '.'),
    ],
  ])('%s', async (_, value) => {
    const jar = new Jar();
    await started(jar);

    expect(await found(await value(), jar)).toMatchObject({ flow: undefined, codeVerifier: undefined, hasFlows: true });
  });
});
