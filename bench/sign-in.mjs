// Sign in at the emulator, compared with the two unavoidable steps. Also ten concurrent requests that refresh one session.

import { workos } from './harness/peers.mjs';
import { report } from './harness/report.mjs';
import { createEmulatorWithUser, email, password } from './harness/signed-in.mjs';
import { ensureBuilt, load, loadSource } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const { createSessions } = await load('session.js');
const { bcrypt, SignJWT, generateKeyPair } = await loadSource(
  'by-hand',
  "export { default as bcrypt } from 'bcryptjs';\nexport { generateKeyPair, SignJWT } from 'jose';",
);
const figures = {};
const tables = [];

// The minimum work of a sign-in: check a bcrypt hash with the emulator's cost, and sign a token.
const { privateKey } = await generateKeyPair('RS256');
const hash = await bcrypt.hash(password, 4);
const sign = () =>
  new SignJWT({ sub: 'user_42', sid: 'session_42' }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
const byHand = async () => {
  if (!(await bcrypt.compare(password, hash))) throw new Error('not the password');
  await sign();
};

const emulator = await createEmulatorWithUser({ autoApprove: true });
const redirectUri = 'http://localhost:3000/callback';
const ask = async (body) => {
  const { apiKey, clientId } = emulator.credentials;
  const response = await emulator.fetch('/user_management/authenticate', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: clientId, client_secret: apiKey, ...body }),
  });
  if (!response.ok) throw new Error(`authenticate returned ${response.status}: ${await response.text()}`);
  return response.json();
};
const withPassword = () => ask({ grant_type: 'password', email, password });
const withCode = async () => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: emulator.credentials.clientId,
    redirect_uri: redirectUri,
    provider: 'hosted-login',
    login_hint: email,
  });
  const response = await emulator.fetch(`/user_management/authorize?${query}`, { redirect: 'manual' });
  const code = new URL(response.headers.get('location')).searchParams.get('code');
  return ask({ grant_type: 'authorization_code', code });
};
let { refresh_token: refreshToken } = await withPassword();
const refresh = async () => {
  ({ refresh_token: refreshToken } = await ask({ grant_type: 'refresh_token', refresh_token: refreshToken }));
};

const ways = {
  'hand-written bcryptjs and jose': byHand,
  'sign in with a password': withPassword,
  'authorize, and sign in with the code': withCode,
  'hand-written jose': sign,
  'refresh a session': refresh,
};
const count = quick ? 50 : 300;
const repeated = (work) => () =>
  timed(async () => {
    for (let done = 0; done < count; done++) await work();
  });
const samples = await takeTurns(
  Object.fromEntries(Object.entries(ways).map(([name, work]) => [name, repeated(work)])),
  {
    rounds: quick ? 3 : 9,
    warmUp: 2,
  },
);
const floors = {
  'sign in with a password': 'hand-written bcryptjs and jose',
  'refresh a session': 'hand-written jose',
};
tables.push({
  title: 'Sign-ins at the emulator, in process, one at a time',
  columns: [
    ['per second', 0],
    ['CPU us', 0],
    ['x hand-written', 2],
  ],
  rows: Object.keys(ways).map((name) => [
    name,
    count / (typical(samples, name, 'wallMs') / 1000),
    (typical(samples, name, 'cpuMs') / count) * 1000,
    floors[name] ? ratio(samples, name, floors[name], 'cpuMs') : null,
  ]),
});
figures['signIn.password.perSecond'] = count / (typical(samples, 'sign in with a password', 'wallMs') / 1000);
figures['signIn.password'] = ratio(samples, 'sign in with a password', 'hand-written bcryptjs and jose', 'cpuMs');
await emulator.close();

// Ten concurrent requests with one expired cookie, over HTTP.
const cookiePassword = 'a cookie password for measuring, long enough';
const races = quick ? 10 : 100;

/** Race against a service that returns the tokens of a used refresh token for so many milliseconds. */
async function raceAt(refreshReuseMs, title) {
  const service = await createEmulatorWithUser({ dialect: 'workos', apiKey: 'sk_test_bench', refreshReuseMs });
  await service.listen(0);
  const client = new Sallyport(service.credentials);
  const incumbent = workos(service.url, { clientId: service.credentials.clientId });
  const sessions = createSessions({ ...service.credentials, cookiePassword, now: () => service.clock.now() });
  const rotations = () => service.served.get('userManagement.authenticateWithRefreshToken') ?? 0;
  const sealedSession = async () =>
    (
      await client.userManagement.authenticateWithPassword({
        email,
        password,
        session: { sealSession: true, cookiePassword },
      })
    ).sealedSession;

  const racers = {
    'sallyport, handle': async (sealed) =>
      (await sessions.handle({ headers: { cookie: `wos-session=${sealed}` } })).status === 'refreshed',
    'sallyport, loadSealedSession': async (sealed) =>
      (await client.userManagement.loadSealedSession({ sessionData: sealed, cookiePassword }).refresh()).authenticated,
    '@workos-inc/node 11.0.0': async (sealed) =>
      (await incumbent.userManagement.loadSealedSession({ sessionData: sealed, cookiePassword }).refresh())
        .authenticated,
  };
  const rows = [];
  for (const [name, race] of Object.entries(racers)) {
    let [lost, signedOut] = [0, 0];
    const before = rotations();
    for (let round = 0; round < races; round++) {
      // Sign in ten minutes ago: a token from the future would be rejected.
      await service.clock.set(Date.now() - 600_000);
      const sealed = await sealedSession();
      await service.clock.set(Date.now());
      const known = await Promise.all(Array.from({ length: 10 }, () => race(sealed)));
      const signedOutNow = known.filter((still) => !still).length;
      signedOut += signedOutNow;
      if (signedOutNow > 0) lost += 1;
    }
    rows.push([name, (lost / races) * 100, (signedOut / races) * 100, (rotations() - before) / races]);
    // The goal is for a service with single-use refresh tokens.
    if (refreshReuseMs === 0) figures[`races.${name}`] = (lost / races) * 100;
  }
  tables.push({
    title,
    columns: [
      ['rounds with a sign-out, of 100', 0],
      ['signed-out requests, of 1,000', 0],
      ['refreshes served per round', 2],
    ],
    rows,
  });
  await service.close();
}
await raceAt(0, 'Ten concurrent refreshes of one session, with single-use refresh tokens');
await raceAt(30_000, 'Ten concurrent refreshes of one session, with tokens that can be used again for 30 seconds');
report('sign-in', { figures, tables });
