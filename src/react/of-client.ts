import type { BrowserClient } from '../browser/client.js';
import { loading, type Source, Watched } from './state.js';

/**
 * The session of a client of `sallyport/browser`.
 *
 * @param goOn Shows where the user was before signing in.
 */
export function ofClient(client: BrowserClient, goOn: (returnTo: string) => void): Source {
  let looking: Promise<void> | undefined;
  const watched = new Watched(loading, () => {
    const stop = client.onChange((session) => watched.set(session));
    void look();
    return stop;
  });
  const report = (error: unknown): void => watched.fail(client.session, error);

  // Strict mode mounts twice, and a code is good for one sign-in.
  const look = (): Promise<void> => {
    looking ??= find()
      .catch(report)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
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

  return {
    ...watched,
    async refresh() {
      await look();
      // What was found may be as old as its access token.
      if (client.session) await client.getAccessToken({ forceRefresh: true }).catch(report);
    },
    report,
  };
}
