import { type Room, together } from '../http/router.js';
import { redirectUriControls } from '../rooms/redirect-uris/controls.js';
import { authorizationControls } from './authorizations/controls.js';
import { authorizationRoutes } from './authorizations/routes.js';
import { codeRoutes } from './codes/code-routes.js';
import { factorRoutes } from './factors/factor-routes.js';
import { authenticationControls } from './grants/controls.js';
import { grantRoutes } from './grants/grant-routes.js';
import { ssoRoutes } from './grants/sso-routes.js';
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

/** Grants, sessions, signing keys, second factors, one-time codes and SSO. */
export const signInRoom = {
  ...together(codeRoutes, grantRoutes, sessionRoutes, jwksRoutes, factorRoutes, ssoRoutes, authorizationRoutes),
  controls: {
    ...authenticationControls,
    ...claimControls,
    ...authorizationControls,
    ...redirectUriControls,
    keys: keyControls,
  },
  seed: [factorsOfUsers, policiesOfOrganizations, featuresOfOrganizations, featuresOfUsers, customClaimsSection],
} satisfies Room;
