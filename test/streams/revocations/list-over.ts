import type { Store } from 'sallyport/stores';
import { followRevocations, type RevocationsProblem } from 'sallyport/streams';
import { onTestFinished } from 'vitest';
import { stage } from '../../stage.js';

/** A list over a store, and the problems that it reports. */
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
