import type { RoomPart } from '../http/router.js';
import { authenticationMethodsPage } from './pages/authentication-methods-page.js';
import { codePage } from './pages/code-page.js';
import { emailVerificationPage } from './pages/email-verification-page.js';
import { forgotPasswordPage } from './pages/forgot-password-page.js';
import { identityProviderPage } from './pages/identity-provider-page.js';
import { invitationPage } from './pages/invitation-page.js';
import { mfaChallengePage } from './pages/mfa-challenge-page.js';
import { mfaEnrollmentPage } from './pages/mfa-enrollment-page.js';
import { organizationSelectionPage } from './pages/organization-selection-page.js';
import { providerPage } from './pages/provider-page.js';
import { resetPasswordPage } from './pages/reset-password-page.js';
import { signInPage } from './pages/sign-in-page.js';
import { signUpPage } from './pages/sign-up-page.js';
import { ssoPage } from './pages/sso-page.js';
import { portalPage } from './portal/portal-page.js';
import type { PageName } from './steps.js';
import { type HostedPage, serveHostedPage } from './visit.js';

/** The pages of an authorization. */
const pages: Readonly<Record<PageName, HostedPage>> = {
  'authentication-methods': authenticationMethodsPage,
  code: codePage,
  'email-verification': emailVerificationPage,
  'forgot-password': forgotPasswordPage,
  'identity-provider': identityProviderPage,
  'mfa-challenge': mfaChallengePage,
  'mfa-enrollment': mfaEnrollmentPage,
  'organization-selection': organizationSelectionPage,
  provider: providerPage,
  'sign-in': signInPage,
  'sign-up': signUpPage,
  sso: ssoPage,
};

/** Serve the hosted pages. */
export const pageRoutes: RoomPart = {
  routes(router) {
    // The cast is safe because the record has no other keys.
    for (const [name, page] of Object.entries(pages)) serveHostedPage(router, name as PageName, page);
    resetPasswordPage(router);
    invitationPage(router);
    portalPage(router);
  },
};
