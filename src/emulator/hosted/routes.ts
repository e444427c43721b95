import type { RoomPart } from '../server/router.js';
import { authorizations } from '../sign-in/authorizations.js';
import { codePage } from './code-page.js';
import { enrollPage } from './enroll-page.js';
import { forgotPasswordPage } from './forgot-password-page.js';
import { identityProviderPage } from './identity-provider-page.js';
import { invitationPage } from './invitation-page.js';
import { organizationPage } from './organization-page.js';
import { passwordPage } from './password-page.js';
import { portalPage } from './portal-page.js';
import { dropProgressOf } from './progress.js';
import { providerPage } from './provider-page.js';
import { resetPasswordPage } from './reset-password-page.js';
import { secondFactorPage } from './second-factor-page.js';
import { signInPage } from './sign-in-page.js';
import { signUpPage } from './sign-up-page.js';
import { singleSignOnPage } from './single-sign-on-page.js';
import { verifyEmailPage } from './verify-email-page.js';

/** Serve the hosted pages. */
export const pageRoutes: RoomPart = {
  routes(router) {
    signInPage(router);
    signUpPage(router);
    passwordPage(router);
    codePage(router);
    verifyEmailPage(router);
    secondFactorPage(router);
    enrollPage(router);
    organizationPage(router);
    singleSignOnPage(router);
    identityProviderPage(router);
    providerPage(router);
    forgotPasswordPage(router);
    resetPasswordPage(router);
    invitationPage(router);
    portalPage(router);
  },

  start(world) {
    world.of(authorizations).onDelete(({ id }) => dropProgressOf(world, id));
  },
};
