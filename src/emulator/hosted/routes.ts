import type { RoomPart } from '../http/router.js';
import { authorizations } from '../sign-in/authorizations/authorizations.js';
import { dropProgressOf } from '../sign-in/authorizations/progress.js';
import { passwordPage } from './pages/authentication-methods-page.js';
import { codePage } from './pages/code-page.js';
import { verifyEmailPage } from './pages/email-verification-page.js';
import { forgotPasswordPage } from './pages/forgot-password-page.js';
import { identityProviderPage } from './pages/identity-provider-page.js';
import { invitationPage } from './pages/invitation-page.js';
import { secondFactorPage } from './pages/mfa-challenge-page.js';
import { enrollPage } from './pages/mfa-enrollment-page.js';
import { organizationPage } from './pages/organization-selection-page.js';
import { providerPage } from './pages/provider-page.js';
import { resetPasswordPage } from './pages/reset-password-page.js';
import { signInPage } from './pages/sign-in-page.js';
import { signUpPage } from './pages/sign-up-page.js';
import { singleSignOnPage } from './pages/sso-page.js';
import { portalPage } from './portal/portal-page.js';

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

  start(memory) {
    memory.onDelete(authorizations, ({ id }, memory) => dropProgressOf(memory, id));
  },
};
