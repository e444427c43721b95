// Single sign-on: list connections, build the authorization URL, and get the profile.
//
//   npx tsx examples/sso.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

// `autoApprove` signs in the user of `loginHint` without the identity provider's page.
const emulator = await createEmulator({ dialect: 'workos', seed: 'examples/company.yaml', autoApprove: true });
const { sso } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

for await (const connection of sso.listConnections({ organizationId: 'org_northwind' })) {
  console.log(connection.name, connection.connectionType, connection.state);
}

// Keep state and codeVerifier until the user returns. A client without an API key needs the verifier to redeem the code.
const { url, state, codeVerifier } = await sso.getAuthorizationUrlWithPKCE({
  organization: 'org_northwind',
  redirectUri: 'http://localhost:3000/callback',
  loginHint: 'ada@northwind.test',
});
console.log('only the challenge is sent:', !url.includes(codeVerifier));

// The user's browser opens the URL, and returns to redirectUri with a code.
const answer = await emulator.fetch(url, { redirect: 'manual' });
const { searchParams: params } = new URL(answer.headers.get('location') ?? '');
if (params.get('state') !== state) throw new Error('state does not match: another site started this sign-in');

const { profile, accessToken } = await sso.getProfileAndToken({ code: params.get('code') ?? '', codeVerifier });
console.log(profile.firstName, 'of', profile.organizationId, 'by', profile.connectionType, profile.rawAttributes);
console.log('same profile from the access token:', (await sso.getProfile({ accessToken })).id === profile.id);

const { response } = await sso.getConnection('conn_northwind').withResponse();
console.log(response.status, response.requestId !== undefined, response.attempts);

await emulator.close();
