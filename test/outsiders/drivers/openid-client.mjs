// openid-client signs a user in with SSO, with configured endpoints.
import { follow, load, report } from './outcomes.mjs';

const { OUTSIDER, SERVICE, API_KEY, CLIENT_ID } = process.env;
const oidc = await load(OUTSIDER, 'openid-client');
const redirectUri = 'http://localhost:3000/callback';

const server = {
  issuer: SERVICE,
  authorization_endpoint: `${SERVICE}/sso/authorize`,
  token_endpoint: `${SERVICE}/sso/token`,
  userinfo_endpoint: `${SERVICE}/sso/profile`,
  jwks_uri: `${SERVICE}/sso/jwks/${CLIENT_ID}`,
};

async function signIn(authentication, pkce) {
  const configuration = new oidc.Configuration(server, CLIENT_ID, undefined, authentication);
  oidc.allowInsecureRequests(configuration);
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const address = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    connection: 'conn_northwind',
    state: expectedState,
    ...(pkce
      ? {
          code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        }
      : {}),
  });
  const arrived = new URL(`${redirectUri}?${new URLSearchParams(await follow(address.href, SERVICE))}`);
  const tokens = await oidc.authorizationCodeGrant(configuration, arrived, {
    expectedState,
    ...(pkce ? { pkceCodeVerifier } : {}),
  });
  const profile = await oidc.fetchProtectedResource(
    configuration,
    tokens.access_token,
    new URL(server.userinfo_endpoint),
    'GET',
  );
  return [tokens.token_type, tokens.expiresIn(), tokens.profile.email, (await profile.json()).email];
}

async function discover() {
  const issuer = new URL(`${SERVICE}/user_management/${CLIENT_ID}`);
  const configuration = await oidc.discovery(issuer, CLIENT_ID, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });
  const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata();
  return [authorization_endpoint, token_endpoint, jwks_uri].map((url) => url.replace(SERVICE, ''));
}

await report({
  'discovers the endpoints': discover,
  'signs in with the secret in the body': () => signIn(oidc.ClientSecretPost(API_KEY), false),
  'signs in with the secret in the header': () => signIn(oidc.ClientSecretBasic(API_KEY), false),
  'signs in with the secret and a code verifier': () => signIn(oidc.ClientSecretBasic(API_KEY), true),
  'signs in with only a code verifier': () => signIn(oidc.None(), true),
  'gets an error for a wrong secret': () => signIn(oidc.ClientSecretBasic('sk_wrong'), false),
});
