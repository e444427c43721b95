import { type ApplyOutcome, applyEvent } from './apply.js';
import { transact } from './database.js';
import { noSuchLetter, type StoredDeadLetter } from './dead-letters.js';
import type { Consumer } from './options.js';

/** Result of replaying a dead letter. */
export interface ReplayResult {
  /** Id of the event. */
  readonly id: string;
  /**
   * The outcome. The letter is kept if the handler failed again (`failed`), or if it was not called because a newer event was
   * applied to the object (`superseded`).
   */
  readonly outcome: ApplyOutcome | 'failed';
  /** The error of the handler. */
  readonly error?: unknown;
}

/** Thrown to roll back the transaction of a superseded letter, and stored as its error. */
const superseded = 'A newer event was applied to the object of this event. Edit the letter, or remove it';

/** Replay one letter or, with `all`, every letter. @throws {InvalidArgumentError} No dead letter has this id. */
export async function replay<Tx>(consumer: Consumer<Tx>, id: string): Promise<readonly ReplayResult[]> {
  if (id === 'all') return replayAll(consumer);
  const results = await replayEach(consumer, [id]);
  if (results.length === 0) throw noSuchLetter(id);
  return results;
}

/** Replay the letters that are marked. */
export async function replayMarked<Tx>(consumer: Consumer<Tx>, limit?: number): Promise<readonly ReplayResult[]> {
  return replayEach(consumer, (await consumer.box.marked()).slice(0, limit));
}

async function replayAll<Tx>(consumer: Consumer<Tx>): Promise<readonly ReplayResult[]> {
  const { box } = consumer;
  const results: ReplayResult[] = [];
  for (let page = await box.list(); page.length > 0; page = await box.list({ after: page.at(-1)!.id }))
    results.push(
      ...(await replayEach(
        consumer,
        page.map(({ id }) => id),
      )),
    );
  return results;
}

/** Replay letters one by one, and skip letters that another process has applied meanwhile. */
async function replayEach<Tx>(consumer: Consumer<Tx>, ids: readonly string[]): Promise<readonly ReplayResult[]> {
  const results: ReplayResult[] = [];
  for (const id of ids) {
    const letter = await consumer.box.get(id);
    if (letter) results.push(await replayOne(consumer, letter));
  }
  return results;
}

async function replayOne<Tx>(
  { database, settings, box }: Consumer<Tx>,
  { id, event, attempts }: StoredDeadLetter,
): Promise<ReplayResult> {
  try {
    const outcome = await transact(database, async (transaction) => {
      const result = await applyEvent(transaction, event, settings, { attempt: attempts + 1 });
      // Roll back, so that the event is not recorded as applied and its letter stays.
      if (result === 'superseded' && settings.skipsSuperseded) throw superseded;
      return result;
    });
    await box.remove(id);
    return { id, outcome };
  } catch (error) {
    if (error === superseded) {
      await box.add({ event, error: superseded, attempts: 0 });
      return { id, outcome: 'superseded' };
    }
    if (settings.isOutage(error)) throw error;
    await box.add({ event, error });
    return { id, outcome: 'failed', error };
  }
}
