// Check a session cookie, as middleware does on every request, compared with hand-written code on node:crypto and on
// iron-webcrypto with jose.
import {
  createDecipheriv,
  createHmac,
  generateKeyPairSync,
  pbkdf2Sync,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { createServer } from 'node:http';
import { defaults, unseal } from 'iron-webcrypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { sessionByNode } from './harness/node-crypto.mjs';
import { workos } from './harness/peers.mjs';
import { report } from './harness/report.mjs';
import { ensureBuilt, load, loadSource } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { createSessionReader, sessionCache } = await load('session.js');
const { seal, passwordRing } = await loadSource('seal', "export { passwordRing, seal } from './src/crypto/seal.ts';");

const password = 'a cookie password for measuring, long enough';
const clientId = 'client_01HZX3V7Q8M2T4B6C8D0E2F4G6';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }] };

/** A minimal service that returns its keys. */
const service = createServer((_, response) => response.end(JSON.stringify(keys)));
await new Promise((listening) => service.listen(0, '127.0.0.1', listening));
service.unref();
const baseUrl = `http://127.0.0.1:${service.address().port}`;

const now = Math.floor(Date.now() / 1000);
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = `${part({ alg: 'RS256', kid: 'bench' })}.${part({
  iss: `${baseUrl}/user_management/${clientId}`,
  sub: 'user_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  sid: 'session_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  jti: '01HZX3V7Q8M2T4B6C8D0E2F4G6',
  org_id: 'org_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  role: 'admin',
  permissions: ['invoices:read', 'invoices:write', 'members:manage', 'settings:write'],
  entitlements: ['audit-logs'],
  iat: now,
  exp: now + 7200,
})}`;
const session = {
  organizationId: 'org_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  accessToken: `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`,
  refreshToken: 'Xw0NsCVXMBf7svAoIoKBmkpEK',
  authenticationMethod: 'Password',
  user: {
    object: 'user',
    id: 'user_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    email: 'ada@acme.test',
    emailVerified: true,
    firstName: 'Ada',
    lastName: 'Lovelace',
    profilePictureUrl: null,
    lastSignInAt: '2024-06-25T19:07:33.155Z',
    locale: null,
    externalId: null,
    metadata: {},
    createdAt: '2024-06-25T19:07:33.155Z',
    updatedAt: '2024-06-25T19:07:33.155Z',
  },
};
const sealed = await seal(session, passwordRing(password));
/** Create cookie headers as new strings, as a server receives them: the hash of a reused string is cached. */
const headers = (count) =>
  Array.from({ length: count }, () => Buffer.from(`theme=dark; sallyport-session=${sealed}`).toString('latin1'));

const jwks = createLocalJWKSet(keys);
/** Check a cookie like the documentation of the two libraries, with the default checks of the reader. */
async function byHand(cookies) {
  const value = /(?:^|; )sallyport-session=([^;]*)/.exec(cookies)?.[1] ?? '';
  const [text, version] = value.split('~');
  if (version !== '2') throw new Error('not a seal');
  const found = await unseal(text, { 1: password }, defaults);
  const options = { algorithms: ['RS256'], clockTolerance: 5, requiredClaims: ['exp', 'sid', 'sub'] };
  const { payload } = await jwtVerify(found.accessToken, jwks, options);
  if (payload.sub !== found.user.id) throw new Error('another user');
  return { user: found.user, sessionId: payload.sid, organizationId: payload.org_id, permissions: payload.permissions };
}

/** Check a cookie with the minimum of code on Node, and with a cached key. */
function byNode(cookies) {
  const value = /(?:^|; )sallyport-session=([^;]*)~2/.exec(cookies)?.[1] ?? '';
  const [head, id, salt, iv, content, expiry, macSalt, mac] = value.split('*');
  const text = `${head}*${id}*${salt}*${iv}*${content}*${expiry}`;
  const expectedMac = createHmac('sha256', pbkdf2Sync(password, macSalt, 1, 32, 'sha1'))
    .update(text)
    .digest();
  if (!timingSafeEqual(expectedMac, Buffer.from(mac, 'base64url'))) throw new Error('another password');
  const key = pbkdf2Sync(password, salt, 1, 32, 'sha1');
  const decipher = createDecipheriv('aes-256-cbc', key, Buffer.from(iv, 'base64url'));
  const found = JSON.parse(decipher.update(content, 'base64url', 'utf8') + decipher.final('utf8'));
  const [header, claims, signature] = found.accessToken.split('.');
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url'));
  if (alg !== 'RS256' || kid !== 'bench') throw new Error('another key');
  if (!verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
    throw new Error('not signed');
  const payload = JSON.parse(Buffer.from(claims, 'base64url'));
  if (payload.sub !== found.user.id || !payload.sid || payload.exp + 5 <= Date.now() / 1000) throw new Error('expired');
  return { user: found.user, sessionId: payload.sid, organizationId: payload.org_id, permissions: payload.permissions };
}

const checkSealed = sessionByNode(keys, password);
const byKeptKeys = (cookies) => checkSealed(/(?:^|; )sallyport-session=([^;]*)/.exec(cookies)?.[1] ?? '');
const reader = createSessionReader({ cookiePassword: password, clientId, baseUrl });
const cached = createSessionReader({ cookiePassword: password, clientId, baseUrl, cache: sessionCache() });
const incumbent = workos(baseUrl, { clientId });

const checks = {
  'hand-written node:crypto': byNode,
  'node:crypto, kept keys': byKeptKeys,
  'hand-written iron-webcrypto and jose': byHand,
  sallyport: (cookies) => reader.read(cookies),
  'sallyport, cached': (cookies) => cached.read(cookies),
  '@workos-inc/node 11.0.0': () =>
    incumbent.userManagement.loadSealedSession({ sessionData: sealed, cookiePassword: password }).authenticate(),
};
const [native, kept, hand, ours, remembered, theirs] = await Promise.all(
  Object.values(checks).map((check) => check(headers(1)[0])),
);
const user = session.user.email;
if (
  native.user.email !== user ||
  kept.user.email !== user ||
  hand.user.email !== user ||
  ours.session?.user.email !== user ||
  remembered.session?.user.email !== user
)
  throw new Error('A cookie could not be opened');
if (!theirs.authenticated) throw new Error(`@workos-inc/node cannot open our cookie: ${theirs.reason}`);

const figures = {};
const tables = [];
for (const [key, title, atOnce] of [
  ['one', 'one at a time', 1],
  ['fifty', 'fifty at a time', 50],
]) {
  const count = 1000;
  const contenders = Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [
      name,
      () => {
        const received = headers(count);
        return timed(async () => {
          for (let done = 0; done < count; done += atOnce) {
            if (atOnce === 1) await check(received[done]);
            else await Promise.all(received.slice(done, done + atOnce).map((cookies) => check(cookies)));
          }
        });
      },
    ]),
  );
  // Node 26 compiles the check once more after 17,000 of them.
  const samples = await takeTurns(contenders, quick ? { rounds: 3 } : { rounds: 30, warmUp: 20 });
  const rows = Object.keys(checks).map((name) => [
    name,
    (typical(samples, name, 'cpuMs') / count) * 1000,
    ratio(samples, name, 'hand-written iron-webcrypto and jose', 'cpuMs'),
    ratio(samples, name, 'hand-written node:crypto', 'cpuMs'),
    ratio(samples, name, 'node:crypto, kept keys', 'cpuMs'),
    (typical(samples, name, 'wallMs') / count) * 1000,
    count / (typical(samples, name, 'wallMs') / 1000),
  ]);
  for (const [name, cpu, over, overNode, overKept] of rows) {
    figures[`session.${key}.${name}`] = over;
    figures[`session.node.${key}.${name}`] = overNode;
    figures[`session.kept.${key}.${name}`] = overKept;
    figures[`session.us.${key}.${name}`] = cpu;
  }
  tables.push({
    title: `A session cookie of ${sealed.length} bytes, ${title}: microseconds per check`,
    columns: [
      ['CPU', 1],
      ['x the two libraries', 3],
      ['x node:crypto', 2],
      ['x kept keys', 2],
      ['wall', 1],
      ['checks per second', 0],
    ],
    rows,
  });
}
report('session', { figures, tables });
