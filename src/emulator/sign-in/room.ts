import { type Room, together } from '../http/router.js';
import { redirectUriControls } from '../rooms/redirect-uris/controls.js';
import { authorizationControls } from './authorizations/controls.js';
import { codeRoutes } from './codes/code-routes.js';
import { passwordlessRoutes } from './codes/passwordless-routes.js';
import { factorRoutes } from './factors/factor-routes.js';
import { authenticationControls } from './flow/controls.js';
import { grantRoutes } from './flow/grant-routes.js';
import { keyControls } from './keys/controls.js';
import { jwksRoutes } from './keys/jwks-routes.js';
import {
  customClaimsSection,
  factorsOfUsers,
  featuresOfOrganizations,
  featuresOfUsers,
  policiesOfOrganizations,
} from './seed.js';
import { claimControls } from './sessions/claim-controls.js';
import { sessionRoutes } from './sessions/session-routes.js';
import { ssoRoutes } from './sso/sso-routes.js';

/** Grants, sessions, signing keys, second factors, one-time codes and SSO. */
export const signInRoom = {
  ...together(codeRoutes, grantRoutes, sessionRoutes, jwksRoutes, factorRoutes, ssoRoutes, passwordlessRoutes),
  controls: {
    ...authenticationControls,
    ...claimControls,
    ...authorizationControls,
    ...redirectUriControls,
    keys: keyControls,
  },
  seed: [factorsOfUsers, policiesOfOrganizations, featuresOfOrganizations, featuresOfUsers, customClaimsSection],
} satisfies Room;
