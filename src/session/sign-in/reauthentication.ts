import type { SessionReader } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';
import { headerOf, queryOf, type RequestLike } from '../request/request.js';
import type { StartSignInOptions } from './sign-in.js';

/**
 * Get the options that make a signed-in user authenticate again. Sets both `prompt` and `maxAge`, because some services support
 * only one of them.
 */
export const reauthenticationOptions = (
  session: CurrentSession | null,
  maxAge: number | undefined,
): StartSignInOptions => ({
  loginHint: session?.user.email,
  prompt: 'login',
  maxAge,
});

/** Read the options of a sign-in from the query of its route. */
export async function optionsFromQuery(
  { read }: Pick<SessionReader, 'read'>,
  request: RequestLike,
): Promise<Pick<StartSignInOptions, 'returnTo' | 'loginHint' | 'prompt' | 'maxAge'>> {
  const query = queryOf(request);
  const returnTo = query.get('return_to');
  const maxAge = query.get('max_age');
  if (maxAge === null) return query.get('prompt') === 'login' ? { returnTo, prompt: 'login' } : { returnTo };
  const { session } = await read(headerOf(request, 'cookie'));
  return { returnTo, ...reauthenticationOptions(session, /^\d{1,9}$/.test(maxAge) ? Number(maxAge) : 0) };
}
