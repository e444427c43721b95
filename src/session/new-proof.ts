import type { CurrentSession } from './session.js';
import type { StartSignInOptions } from './sign-in.js';

/** How somebody who is signed in proves anew who they are. Asked for by both, or a service that goes by one alone would send them back. */
export const again = (session: CurrentSession | null, maxAge: number | undefined): StartSignInOptions => ({
  loginHint: session?.user.email,
  prompt: 'login',
  maxAge,
});
