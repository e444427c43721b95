import type { BrowserSession } from '../browser/session.js';
import { parsedJson } from '../http/json.js';
import { oneAtATime } from '../http/one-at-a-time.js';
import { withCheck } from '../oauth/access.js';
import { loading, type SessionData, type Source, stateOf, watchedFrom } from './state.js';

/**
 * The session that a server has handed over.
 *
 * @param json The session or null, as JSON; undefined where the server has said nothing.
 * @param route Where the application answers with the session, if it does.
 */
export function ofServer(json: string | undefined, route: string | undefined): Source {
  let text = json;
  const watched = watchedFrom(text === undefined && route ? loading : stateOf(sessionIn(text)), () => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void refresh();
    };
    if (text === undefined) void refresh();
    // Whoever comes back to this page may have signed out in another, or may do less than before.
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  });
  const fail = (reason: string, what: string): void => {
    const message = `${route} ${what}. The session goes on; call refresh() later`;
    watched.set(watched.state().session, { reason, message }, text !== 'null');
  };

  const ask = async (address: string): Promise<void> => {
    const response = await fetch(address, { headers: { accept: 'application/json' }, cache: 'no-store' });
    const answer = response.status === 401 ? 'null' : response.ok ? await response.text() : '';
    const session = sessionIn(answer);
    if (!session && answer !== 'null')
      return fail('unexpected_answer', `must answer with the session as JSON, or null; it answered ${response.status}`);
    // The same object as long as it says the same, so that nothing is rendered for it.
    const known = watched.state().session;
    watched.set(answer === text ? known : session);
    text = answer;
  };
  const refresh = oneAtATime(async () => {
    if (route) await ask(route).catch(() => fail('network_error', 'could not be reached'));
  });

  return { ...watched, refresh };
}

/** The session that JSON says, with its method; null for anything else. */
function sessionIn(json = 'null'): BrowserSession | null {
  const data = Object(parsedJson(json));
  // Whoever has a user and permissions was made by this package: the application hands over what it got.
  return data.user && Array.isArray(data.permissions) ? withCheck<SessionData>(data) : null;
}
