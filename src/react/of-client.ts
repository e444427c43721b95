import type { BrowserClient } from '../browser/client.js';
import { oneAtATime } from '../http/one-at-a-time.js';
import { loading, type Source, watchedFrom } from './state.js';

/**
 * The session of a client of `sallyport/browser`.
 *
 * @param goOn Shows where the user was before signing in.
 */
export function ofClient(client: BrowserClient, goOn: (returnTo: string) => void): Source {
  const watched = watchedFrom(loading, () => {
    const stop = client.onChange((session) => watched.set(session));
    void look();
    return stop;
  });

  const find = async (): Promise<void> => {
    const arrival = await client.finishSignIn();
    if (arrival.status === 'signed_in') {
      watched.set(arrival.session);
      return goOn(arrival.returnTo);
    }
    const found = await client.restore();
    const problem = [arrival, found].find((result) => 'message' in result) ?? null;
    watched.set(client.session, problem, [arrival.status, found.status].includes('retry_later'));
  };

  // Strict mode mounts twice, and a code is good for one sign-in.
  const look = oneAtATime(() => find().catch(watched.report));

  return {
    ...watched,
    async refresh() {
      await look();
      // What was found may be as old as its access token.
      if (client.session) await client.getAccessToken({ forceRefresh: true }).catch(watched.report);
    },
  };
}
