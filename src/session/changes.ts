// Everything that starts, ends or changes a session. Few requests need it, so it is loaded on first use.
import { parsedUrl } from '../http/parsed-url.js';
import { finishSignIn } from './finish-sign-in.js';
import type { SessionKit } from './kit.js';
import { askedIn } from './new-proof.js';
import { queryOf, type RequestLike } from './request.js';
import type { SignInResult } from './respond.js';
import { startSignIn } from './sign-in.js';
import { signOut } from './sign-out.js';

export { switchOrganization } from './switch-organization.js';
export { finishSignIn, signOut, startSignIn };

/** The handler of each route. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export const routeAnswers: Readonly<
  Record<
    'signIn' | 'signOut' | 'callback',
    (kit: SessionKit, request: RequestLike, afterSignOut: string | undefined) => Promise<SignInResult>
  >
> = {
  signIn: async (kit, request) => startSignIn(kit, request, await askedIn(kit.opener.reader, request)),
  signOut: (kit, request, returnTo = parsedUrl(kit.cookie.path, kit.redirectUri)?.href) =>
    signOut(kit, request, { returnTo }),
  callback(kit, request) {
    const query = queryOf(request);
    // A code without a state comes from an invitation. The service knows the user by now, so a new sign-in returns at once.
    const isInvited = query.has('code') && !query.has('state');
    return isInvited ? startSignIn(kit, request) : finishSignIn(kit, request);
  },
};
