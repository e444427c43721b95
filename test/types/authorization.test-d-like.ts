/**
 * What the compiler must say about the addresses of signing in. Nothing here runs: `npm run typecheck` fails when a line
 * no longer means what it should, and when an `@ts-expect-error` has become unnecessary.
 */

import { HOSTED_LOGIN, type Sallyport } from '../../src/index.js';

declare const sallyport: Sallyport;
const { userManagement, sso, legacy } = sallyport;
const redirectUri = 'https://app.acme.test/callback';

// Each selector alone is enough.
const address: string = userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri });
userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', redirectUri, providerScopes: ['calendar'] });
userManagement.getAuthorizationUrl({ provider: 'SomeNewOAuth', redirectUri, providerQueryParams: { hd: 'acme.test' } });
userManagement.getAuthorizationUrl({ connectionId: 'conn_01', redirectUri });
userManagement.getAuthorizationUrl({ organizationId: 'org_01', redirectUri, provider: undefined });
sso.getAuthorizationUrl({ connection: 'conn_01', redirectUri, nonce: 'n' });
sso.getAuthorizationUrl({ organization: 'org_01', redirectUri });
// In dialect `workos` the hosted page accepts an organization.
userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, organizationId: 'org_01', redirectUri });
legacy.sso.getAuthorizationUrl({ domain: 'acme.test', redirectUri });
legacy.sso.getAuthorizationUrl({ domain: 'acme.test', provider: 'GoogleOAuth', redirectUri });
void address;

// @ts-expect-error none of the selectors
userManagement.getAuthorizationUrl({ redirectUri });
// @ts-expect-error two of the selectors
userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', organizationId: 'org_01', redirectUri });
// @ts-expect-error two of the selectors
userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, connectionId: 'conn_01', redirectUri });
// @ts-expect-error two of the selectors
userManagement.getAuthorizationUrlWithPKCE({ connectionId: 'conn_01', organizationId: 'org_01', redirectUri });
// @ts-expect-error the name of the other path
userManagement.getAuthorizationUrl({ connection: 'conn_01', redirectUri });
// @ts-expect-error the way back is missing
userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN });
// @ts-expect-error the challenge is made by the method
userManagement.getAuthorizationUrlWithPKCE({ provider: HOSTED_LOGIN, redirectUri, codeChallenge: 'c' });
// @ts-expect-error only S256
userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri, codeChallengeMethod: 'plain' });
// @ts-expect-error none of the selectors
sso.getAuthorizationUrl({ redirectUri });
// @ts-expect-error two of the selectors
sso.getAuthorizationUrl({ connection: 'conn_01', provider: 'GoogleOAuth', redirectUri });
// @ts-expect-error the name of the other path
sso.getAuthorizationUrl({ connectionId: 'conn_01', redirectUri });
// @ts-expect-error neither a domain nor a provider
legacy.sso.getAuthorizationUrl({ redirectUri });

/** A choice at run time is still a choice. */
declare const choice: { readonly connectionId: string } | { readonly organizationId: string };
userManagement.getAuthorizationUrl({ ...choice, redirectUri });
