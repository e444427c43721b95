// Makes the vectors beside this file with the published packages, and shows that seals of ours open there. No test runs it;
// the tests read what it wrote. In a folder of its own, on Node 20 or newer:
//
//   npm init -y
//   npm install --legacy-peer-deps @workos-inc/node@11.0.0 workos-node-8@npm:@workos-inc/node@8.13.0 \
//     @workos/authkit-session@0.7.1 iron-session@8.0.4 iron-session-6@npm:iron-session@6.3.1
//   node <here>/make.mjs .                      writes the vectors anew
//   node <here>/make.mjs . open <file>          opens { password, sealed, keys } with each of them
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder = '.', task = 'make', file] = process.argv.slice(2);
const require = createRequire(resolve(folder, 'here.js'));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const manifest = (name) => JSON.parse(readFileSync(resolve(folder, 'node_modules', name, 'package.json'), 'utf8'));

const password = 'a cookie password of the vectors, long enough';
const older = 'the cookie password before that one, long enough';
const clientId = 'client_01JVECTORS0000000000000000';

// A key of each making; only its public half is written down.
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'vectors', use: 'sig', alg: 'RS256' }] };
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

const claims = {
  iss: `https://api.example.com/user_management/${clientId}`,
  sub: 'user_01JVECTORS0000000000000000',
  sid: 'session_01JVECTORS0000000000000000',
  jti: '01JVECTORS0000000000000000',
  org_id: 'org_01JVECTORS0000000000000000',
  role: 'admin',
  permissions: ['invoices:read', 'invoices:write'],
  iat: 1767225600, // 2026-01-01
  exp: 4102444800, // 2100-01-01
};
const signed = `${part({ alg: 'RS256', kid: 'vectors' })}.${part(claims)}`;
const accessToken = `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;

const user = {
  object: 'user',
  id: 'user_01JVECTORS0000000000000000',
  email: 'zoë@example.com',
  emailVerified: true,
  firstName: 'Zoë',
  lastName: '李',
  profilePictureUrl: null,
  lastSignInAt: '2026-01-01T00:00:00.000Z',
  locale: null,
  externalId: null,
  metadata: { favourite_colour: 'teal' },
  createdAt: '2025-06-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const impersonator = { email: 'support@example.com', reason: 'Ticket 4711' };
const session = { accessToken, refreshToken: 'refresh_of_the_vectors', user, impersonator };

/** What the service answers, by wire names. */
const answer = {
  user: {
    object: 'user',
    id: user.id,
    email: user.email,
    email_verified: true,
    first_name: user.firstName,
    last_name: user.lastName,
    profile_picture_url: null,
    last_sign_in_at: user.lastSignInAt,
    locale: null,
    external_id: null,
    metadata: user.metadata,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  },
  organization_id: claims.org_id,
  access_token: accessToken,
  refresh_token: session.refreshToken,
  impersonator,
  authentication_method: 'Impersonation',
};

/** A client of the incumbent, and a service that lets it sign in and gives it keys. */
async function withIncumbent(name, keySet, run) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url.startsWith('/sso/jwks/') ? keySet : answer));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { WorkOS } = await load(name);
  const options = { apiHostname: '127.0.0.1', port: server.address().port, https: false, clientId };
  try {
    return await run(new WorkOS('sk_test_vectors', options));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Opens a seal with the incumbent, token check included. */
const openWithIncumbent = (name, given) =>
  withIncumbent(name, given.keys, async (client) => {
    const { sealed: sessionData, password: cookiePassword } = given;
    const found = await client.userManagement.loadSealedSession({ sessionData, cookiePassword }).authenticate();
    return `${found.authenticated ? 'authenticated' : found.reason} ${found.user?.email ?? ''}`;
  });

async function make() {
  const write = (name, madeBy, seals) => {
    const { version } = manifest(name);
    const published = manifest(name).name;
    const content = { package: published, version, madeBy, node: process.version, madeAt: Date.now(), keys, seals };
    const path = new URL(`./${published.replace('@', '').replace('/', '-')}-${version}.json`, import.meta.url);
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
    console.log(path.pathname);
  };

  for (const name of ['workos-node-8', '@workos-inc/node'])
    await withIncumbent(name, keys, async (client) => {
      const { sealedSession } = await client.userManagement.authenticateWithCode({
        clientId,
        code: 'code_of_the_vectors',
        session: { sealSession: true, cookiePassword: password },
      });
      write(name, 'userManagement.authenticateWithCode({ session: { sealSession: true, cookiePassword } })', [
        { password, passwordId: '1', sealed: sealedSession },
      ]);
    });

  const { sessionEncryption } = await load('@workos/authkit-session');
  write('@workos/authkit-session', 'sessionEncryption.sealData(session, { password, ttl: 0 or 600 })', [
    { password, passwordId: '1', sealed: await sessionEncryption.sealData(session, { password, ttl: 0 }) },
    {
      password,
      passwordId: '1',
      ttlSec: 600,
      sealed: await sessionEncryption.sealData(session, { password, ttl: 600 }),
    },
  ]);

  // Their time limits by default: 14 days, and 15 in the earlier version.
  for (const [name, ttlSec] of [
    ['iron-session', 1209600],
    ['iron-session-6', 1296000],
  ]) {
    const { sealData } = await load(name);
    const two = { 1: older, 2: password };
    write(name, 'sealData(session, { password, ttl: 0 or left out }), with a text and with a map of two passwords', [
      { password, passwordId: '1', sealed: await sealData(session, { password, ttl: 0 }) },
      { password, passwordId: '2', sealed: await sealData(session, { password: two, ttl: 0 }) },
      { password, passwordId: '1', ttlSec, sealed: await sealData(session, { password }) },
    ]);
  }
}

async function open() {
  const given = JSON.parse(readFileSync(file, 'utf8'));
  const { sessionEncryption } = await load('@workos/authkit-session');
  const byAuthkit = await sessionEncryption.unsealData(given.sealed, { password: given.password });
  console.log('@workos/authkit-session', byAuthkit.user.email);
  for (const name of ['iron-session', 'iron-session-6']) {
    const { unsealData } = await load(name);
    const opened = await unsealData(given.sealed, { password: given.password, ttl: 0 });
    console.log(manifest(name).name, manifest(name).version, opened.user.email);
  }
  for (const name of ['workos-node-8', '@workos-inc/node'])
    console.log(manifest(name).name, manifest(name).version, await openWithIncumbent(name, given));
}

await (task === 'open' ? open() : make());
