import type { Store } from 'sallyport/stores';
import { followRevocations, type RevocationsProblem } from 'sallyport/streams';
import { onTestFinished } from 'vitest';
import { stage } from '../../stage.js';

/** Creates a list of revocations in a store, and collects the problems that it reports. */
export async function listOver(store: Store, staleMs?: number) {
  const { sallyport: client } = await stage({ clock: undefined });
  const problems: RevocationsProblem[] = [];
  const revocations = followRevocations(client, {
    store,
    staleMs,
    storePollMs: 20,
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(() => revocations.close());
  return { revocations, problems };
}
