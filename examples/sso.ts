// Single sign-on: connections, and the address that starts a sign-in.
//
//   npx tsx examples/sso.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ seed: 'examples/company.yaml' });
const { sso } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

for await (const connection of sso.listConnections({ organizationId: 'org_northwind' })) {
  console.log(connection.name, connection.connectionType, connection.state);
}

const redirectUri = 'http://localhost:3000/callback';
console.log(sso.getAuthorizationUrl({ connection: 'conn_northwind', redirectUri, state: 'from the sign-in page' }));

// A client without a secret proves itself by PKCE: keep state and codeVerifier until the user is back.
const { url, codeVerifier } = await sso.getAuthorizationUrlWithPKCE({ organization: 'org_northwind', redirectUri });
console.log(url.includes(codeVerifier), 'only the challenge travels');

const { response } = await sso.getConnection('conn_northwind').withResponse();
console.log(response.status, response.requestId !== undefined, response.attempts);

await emulator.close();
