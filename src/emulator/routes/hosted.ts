import { codePage } from '../hosted/code-page.js';
import { enrollPage } from '../hosted/enroll-page.js';
import { forgotPasswordPage } from '../hosted/forgot-password-page.js';
import { identityProviderPage } from '../hosted/identity-provider-page.js';
import { inboxPage } from '../hosted/inbox-page.js';
import { organizationPage } from '../hosted/organization-page.js';
import { passwordPage } from '../hosted/password-page.js';
import { dropProgressOf } from '../hosted/progress.js';
import { providerPage } from '../hosted/provider-page.js';
import { resetPasswordPage } from '../hosted/reset-password-page.js';
import { secondFactorPage } from '../hosted/second-factor-page.js';
import { signInPage } from '../hosted/sign-in-page.js';
import { signUpPage } from '../hosted/sign-up-page.js';
import { singleSignOnPage } from '../hosted/single-sign-on-page.js';
import { verifyEmailPage } from '../hosted/verify-email-page.js';
import type { Room } from '../router.js';
import { authorizations } from '../state/authorizations.js';

/** The pages of signing in that people see, and the inbox. */
export const hostedRoom: Room = {
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
    inboxPage(router);
  },

  start(world) {
    world.of(authorizations).onDelete(({ id }) => dropProgressOf(world, id));
  },
};
