import type { SessionReader } from './reader.js';
import { headerOf, queryOf, type RequestLike } from './request.js';
import type { CurrentSession } from './session.js';
import type { StartSignInOptions } from './sign-in.js';

/** How somebody who is signed in proves anew who they are. Asked for by both, or a service that goes by one alone would send them back. */
export const again = (session: CurrentSession | null, maxAge: number | undefined): StartSignInOptions => ({
  loginHint: session?.user.email,
  prompt: 'login',
  maxAge,
});

/** What the query of a sign-in route asks for. */
export async function askedIn(
  { read }: Pick<SessionReader, 'read'>,
  request: RequestLike,
): Promise<Pick<StartSignInOptions, 'returnTo' | 'loginHint' | 'prompt' | 'maxAge'>> {
  const query = queryOf(request);
  const returnTo = query.get('return_to');
  const maxAge = query.get('max_age');
  if (maxAge === null) return { returnTo };
  const { session } = await read(headerOf(request, 'cookie'));
  return { returnTo, ...again(session, /^\d{1,9}$/.test(maxAge) ? Number(maxAge) : 0) };
}
