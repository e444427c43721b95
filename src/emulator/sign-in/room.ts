import { type Room, together } from '../server/router.js';
import { authorizationControls } from './authorization-controls.js';
import { claimControls } from './claim-controls.js';
import { codeRoutes } from './code-routes.js';
import { authenticationControls } from './controls.js';
import { factorRoutes } from './factor-routes.js';
import { grantRoutes } from './grant-routes.js';
import { jwksRoutes } from './jwks-routes.js';
import { keyControls } from './key-controls.js';
import { passwordlessRoutes } from './passwordless-routes.js';
import { redirectUriControls } from './redirect-uri-controls.js';
import {
  customClaimsSection,
  factorsOfUsers,
  featuresOfOrganizations,
  featuresOfUsers,
  policiesOfOrganizations,
} from './seed.js';
import { sessionRoutes } from './session-routes.js';
import { ssoRoutes } from './sso-routes.js';

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
