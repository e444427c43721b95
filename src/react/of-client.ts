import { oneAtATime } from '../async/one-at-a-time.js';
import type { BrowserClient } from '../browser/client.js';
import { createObservable, loading, type Source } from '../browser/session-state.js';

/**
 * Create a session source from a client of `sallyport/browser`.
 *
 * @param navigate Shows the page where the user started to sign in.
 */
export function clientSource(client: BrowserClient, navigate: (returnTo: string) => void): Source {
  const observable = createObservable(loading, () => {
    const stop = client.onChange((session) => observable.set(session));
    void look();
    return stop;
  });

  const find = async (): Promise<void> => {
    const arrival = await client.finishSignIn();
    // The page is leaving for the service.
    if (arrival.status === 'redirect') return;
    if (arrival.status === 'signed_in') {
      observable.set(arrival.session);
      return navigate(arrival.returnTo);
    }
    const restored = await client.restore();
    const problem = [arrival, restored].find((result) => 'message' in result) ?? null;
    observable.set(client.session, problem, [arrival.status, restored.status].includes('retry_later'));
  };

  // Strict mode mounts twice, and an authorization code is single use.
  const look = oneAtATime(() => find().catch(observable.report));

  return {
    ...observable,
    async refresh() {
      await look();
      // `restore` may return a session as old as its access token.
      if (client.session) await client.getAccessToken({ forceRefresh: true }).catch(observable.report);
    },
  };
}
