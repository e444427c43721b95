import { oneAtATime } from '../async/one-at-a-time.js';
import type { BrowserSession } from '../browser/session.js';
import { parsedJson } from '../http/json.js';
import { withCheck } from '../oauth/access.js';
import { createObservable, loading, type SessionData, type Source, stateOf } from './state.js';

/**
 * Create a session source for a session that your server keeps.
 *
 * @param json The session or null as JSON, or undefined if the server did not pass one.
 * @param route Path of the route that returns the session, if there is one.
 */
export function serverSource(json: string | undefined, route: string | undefined): Source {
  let text = json;
  const observable = createObservable(text === undefined && route ? loading : stateOf(parseSession(text)), () => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void refresh();
    };
    if (text === undefined) void refresh();
    // While the page was hidden, the user may have signed out in another tab or lost permissions.
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  });
  const fail = (reason: string, what: string): void => {
    const message = `${route} ${what}. The session stays as it was; call refresh() later`;
    observable.set(observable.state().session, { reason, message }, text !== 'null');
  };

  const ask = async (address: string): Promise<void> => {
    const response = await fetch(address, { headers: { accept: 'application/json' }, cache: 'no-store' });
    const answer = response.status === 401 ? 'null' : response.ok ? await response.text() : '';
    const session = parseSession(answer);
    if (!session && answer !== 'null')
      return fail(
        'unexpected_answer',
        `must return the session as JSON, or null; it answered with status ${response.status}`,
      );
    // Keep the same object for the same JSON, so that nothing renders again.
    const current = observable.state().session;
    observable.set(answer === text ? current : session);
    text = answer;
  };
  const refresh = oneAtATime(async () => {
    if (route) await ask(route).catch(() => fail('network_error', 'could not be reached'));
  });

  return { ...observable, refresh };
}

/** Parse a session and add its `has` method, or return null for anything else. */
function parseSession(json = 'null'): BrowserSession | null {
  const data = Object(parsedJson(json));
  // If it has a user and permissions, it is one of our sessions.
  return data.user && Array.isArray(data.permissions) ? withCheck<SessionData>(data) : null;
}
