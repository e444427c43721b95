// Single sign-on: connections, the address that starts a sign-in, and the profile that comes out of it.
//
//   npx tsx examples/sso.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

// At the identity provider's page, the person that `loginHint` names is signed in at once.
const emulator = await createEmulator({ seed: 'examples/company.yaml', autoApprove: true });
const { sso } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

for await (const connection of sso.listConnections({ organizationId: 'org_northwind' })) {
  console.log(connection.name, connection.connectionType, connection.state);
}

// Keep state and codeVerifier until the user is back. A client without an API key proves itself by them alone.
const { url, state, codeVerifier } = await sso.getAuthorizationUrlWithPKCE({
  organization: 'org_northwind',
  redirectUri: 'http://localhost:3000/callback',
  loginHint: 'ada@northwind.test',
});
console.log('only the challenge travels:', !url.includes(codeVerifier));

// What the user's browser does: it goes there, and comes back to redirectUri with a code.
const answer = await emulator.fetch(url, { redirect: 'manual' });
const { searchParams: came } = new URL(answer.headers.get('location') ?? '');
if (came.get('state') !== state) throw new Error('somebody else sent the user');

const { profile, accessToken } = await sso.getProfileAndToken({ code: came.get('code') ?? '', codeVerifier });
console.log(profile.firstName, 'of', profile.organizationId, 'by', profile.connectionType, profile.rawAttributes);
console.log('the same again by the token:', (await sso.getProfile({ accessToken })).id === profile.id);

const { response } = await sso.getConnection('conn_northwind').withResponse();
console.log(response.status, response.requestId !== undefined, response.attempts);

await emulator.close();
