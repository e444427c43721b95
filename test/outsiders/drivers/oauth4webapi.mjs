// oauth4webapi signs in with SSO and at the hosted page.
import { follow, load, report } from './outcomes.mjs';

const { OUTSIDER, SERVICE, API_KEY, CLIENT_ID } = process.env;
const oauth = await load(OUTSIDER, 'oauth4webapi');
const redirectUri = 'http://localhost:3000/callback';
const insecure = { [oauth.allowInsecureRequests]: true };
const client = { client_id: CLIENT_ID };

async function signIn({ authorize, token, selector, authentication, pkce }) {
  const server = { issuer: SERVICE, token_endpoint: `${SERVICE}${token}` };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(`${SERVICE}${authorize}`);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: redirectUri,
    state,
    ...selector,
    ...(pkce
      ? { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
      : {}),
  });
  const arrived = new URLSearchParams(await follow(address.href, SERVICE));
  const callback = oauth.validateAuthResponse(server, client, arrived, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    callback,
    redirectUri,
    pkce ? verifier : oauth.nopkce,
    insecure,
  );
  // The token response of the hosted page has no token_type, which the library requires.
  return token === '/sso/token' ? oauth.processAuthorizationCodeResponse(server, client, response) : response.json();
}

const sso = { authorize: '/sso/authorize', token: '/sso/token', selector: { connection: 'conn_northwind' } };
const hosted = {
  authorize: '/user_management/authorize',
  token: '/user_management/authenticate',
  selector: { provider: 'authkit', login_hint: 'bruno@northwind.test' },
};
const post = oauth.ClientSecretPost(API_KEY);
const basic = oauth.ClientSecretBasic(API_KEY);
const email = async (flow) => {
  const { profile, user, token_type } = await signIn(flow);
  return [(profile ?? user).email, token_type];
};

await report({
  'signs in with SSO and the secret in the body': () => email({ ...sso, authentication: post, pkce: true }),
  'signs in with SSO and the secret in the header': () => email({ ...sso, authentication: basic, pkce: false }),
  'signs in with SSO and only a code verifier': () => email({ ...sso, authentication: oauth.None(), pkce: true }),
  'signs in at the hosted page with the secret in the body': () =>
    email({ ...hosted, authentication: post, pkce: true }),
  'signs in at the hosted page with the secret in the header': () =>
    email({ ...hosted, authentication: basic, pkce: true }),
  'gets an error from the service': async () => {
    const server = { issuer: SERVICE, token_endpoint: `${SERVICE}/sso/token` };
    const arrived = oauth.validateAuthResponse(
      server,
      client,
      new URLSearchParams({ code: 'no_such_code' }),
      oauth.skipStateCheck,
    );
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      basic,
      arrived,
      redirectUri,
      oauth.nopkce,
      insecure,
    );
    return oauth.processAuthorizationCodeResponse(server, client, response);
  },
});
