// What few requests do: begin a session, end it or change it. One piece, which the first of them loads.
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

/** What answers a request at each of the routes. @throws {InvalidArgumentError} @throws {ConfigurationError} */
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
    // Nobody here asked for a code without a state. The service knows the user by now, and sends them back at once.
    const isInvited = query.has('code') && !query.has('state');
    return isInvited ? startSignIn(kit, request) : finishSignIn(kit, request);
  },
};
