import { createStore } from '../stores/create-store.js';
import type { StoreOperations } from '../stores/store.js';

/** What `storeContract` takes. */
export interface StoreContractOptions {
  /** The store to be proven, or a function that gives it; called once for each check. */
  readonly store: StoreOperations | (() => StoreOperations | Promise<StoreOperations>);
  /**
   * Lets so many milliseconds go by for the store; by default they are waited for. One with a clock of its own moves that
   * instead.
   */
  readonly elapse?: ((ms: number) => Promise<void> | void) | undefined;
}

/** One promise of a store, and what finds out whether it holds. */
export interface StoreCheck {
  /** What is promised: for the title of a test. */
  readonly name: string;
  /** Finds out; rejects with what does not hold. */
  readonly run: () => Promise<void>;
}

type Check = (store: StoreOperations, key: string, elapse: (ms: number) => Promise<void> | void) => Promise<void>;

/** For how long what ends is kept here, in milliseconds: longer than an answer takes, and waited for. */
const ttlMs = 400;
const claimants = 50;

function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`The store breaks its contract: ${what}`);
}

async function expectValue(store: StoreOperations, key: string, value: string | undefined, what: string) {
  const found = (await store.get(key)) ?? undefined;
  expectThat(found === value, `${what}: get gave ${JSON.stringify(found)}, not ${JSON.stringify(value)}`);
}

const times = <Value>(count: number, make: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const winners = (answers: readonly boolean[]): number => answers.filter((answer) => answer === true).length;

const checks: Readonly<Record<string, Check>> = {
  'gives what was set last, and nothing before': async (store, key) => {
    await expectValue(store, key, undefined, 'nothing was set yet');
    await store.set(key, 'one');
    await store.set(key, 'two');
    await expectValue(store, key, 'two', 'it was set twice');
  },
  'keeps any text as it is': async (store, key) => {
    for (const text of ['', '0', 'null', '{"a":"é 😀"}', ' \r\n\t', 'x'.repeat(100_000), "'; DROP TABLE users; --"]) {
      await store.set(key, text);
      await expectValue(store, key, text, 'a text came back as another');
    }
  },
  'keeps apart keys that are nearly the same': async (store, key) => {
    const keys = [`${key}:a`, `${key}:A`, `${key}:a:`, `${key}.a`, `${key}_a`, `${key}-a`];
    await Promise.all(keys.map((one) => store.set(one, one)));
    for (const one of keys) await expectValue(store, one, one, 'two keys were taken for one');
  },
  'forgets what was set for a time once it is over': async (store, key, elapse) => {
    await store.set(key, 'short', ttlMs);
    await expectValue(store, key, 'short', 'its time had hardly begun');
    await elapse(ttlMs + 50);
    await expectValue(store, key, undefined, 'its time was over');
  },
  'forgets the time too when something is set for good': async (store, key, elapse) => {
    await store.set(key, 'short', ttlMs);
    await store.set(key, 'for good');
    await elapse(ttlMs + 50);
    await expectValue(store, key, 'for good', 'it was set for good');
  },
  'lets one of fifty claimants win': async (store, key) => {
    const answers = await times(claimants, (who) => store.compareAndSet(key, undefined, `${who}`, 60_000));
    expectThat(winners(answers) === 1, `${winners(answers)} of ${claimants} were told that the key is theirs`);
    await expectValue(store, key, `${answers.indexOf(true)}`, 'somebody else than the winner stands in it');
  },
  'lets one win again once the time of the first is over': async (store, key, elapse) => {
    await store.compareAndSet(key, undefined, 'first', ttlMs);
    await elapse(ttlMs + 50);
    const answers = await times(claimants, (who) => store.compareAndSet(key, undefined, `${who}`, 60_000));
    expectThat(winners(answers) === 1, `${winners(answers)} of ${claimants} won after the first one's time`);
  },
  'lets one of fifty replace what all of them have seen': async (store, key) => {
    await store.set(key, 'seen');
    const answers = await times(claimants, (who) => store.compareAndSet(key, 'seen', `${who}`));
    expectThat(winners(answers) === 1, `${winners(answers)} of ${claimants} replaced the same value`);
    await expectValue(store, key, `${answers.indexOf(true)}`, 'somebody else than the winner stands in it');
  },
  'replaces nothing that is not as expected': async (store, key, elapse) => {
    expectThat(!(await store.compareAndSet(key, 'one', 'two')), 'it replaced what was not there');
    await store.set(key, 'one', ttlMs);
    expectThat(!(await store.compareAndSet(key, 'two', 'three')), 'it replaced another value than the expected one');
    expectThat(!(await store.compareAndSet(key, undefined, 'three')), 'it replaced a value where none was expected');
    await elapse(ttlMs + 50);
    expectThat(!(await store.compareAndSet(key, 'one', 'two')), 'it replaced a value whose time was over');
    await expectValue(store, key, undefined, 'nothing may have been set');
  },
  'gives a value the time it is replaced with': async (store, key, elapse) => {
    await store.set(key, 'one');
    expectThat(await store.compareAndSet(key, 'one', 'two', ttlMs), 'it did not replace what was as expected');
    await expectValue(store, key, 'two', 'it was replaced');
    await elapse(ttlMs + 50);
    await expectValue(store, key, undefined, 'the time of the new value was over');
  },
  'deletes what is there, and only what is expected': async (store, key, elapse) => {
    await store.set(key, 'mine');
    expectThat(!(await store.delete(key, 'yours')), "it deleted somebody else's value");
    await expectValue(store, key, 'mine', "somebody else's delete");
    expectThat(await store.delete(key, 'mine'), 'it did not delete what was as expected');
    expectThat(!(await store.delete(key)), 'it deleted what was not there any more');
    await store.set(key, 'short', ttlMs);
    await elapse(ttlMs + 50);
    expectThat(!(await store.delete(key)), 'it deleted what had ended');
  },
  'counts every one of fifty additions': async (store, key) => {
    const sums = await times(claimants, () => store.increment(key, 2, 60_000));
    sums.sort((one, other) => one - other);
    const expected = sums.map((_, index) => 2 * (index + 1));
    expectThat(sums.join() === expected.join(), `the sums of ${claimants} additions were ${sums.join(', ')}`);
    expectThat((await store.increment(key, -100, 60_000)) === 0, 'it did not subtract');
  },
  'counts from the beginning once the time of the first addition is over': async (store, key, elapse) => {
    await store.increment(key, 3, ttlMs);
    await elapse(ttlMs / 2);
    expectThat((await store.increment(key, 3, ttlMs)) === 6, 'it began anew before the time was over');
    await elapse(ttlMs / 2 + 50);
    expectThat((await store.increment(key, 3, ttlMs)) === 3, 'a later addition prolonged the time');
  },
  'gives a lock to one of fifty, which nobody takes from its next holder': async (operations, key) => {
    const store = createStore(operations);
    const releases = await times(claimants, () => store.lock(key, 60_000));
    const held = releases.filter((release) => release !== undefined);
    expectThat(held.length === 1, `${held.length} of ${claimants} have the lock`);
    await held[0]!();
    expectThat((await store.lock(key, 60_000)) !== undefined, 'a lock that was let go of could not be had');
    await held[0]!();
    expectThat((await store.lock(key, 60_000)) === undefined, 'who let go of it twice took it from its next holder');
  },
};

/**
 * Give the checks of the contract that every store keeps, for the tests of a store of one's own; they run by any runner. The keys
 * are new ones each time, so that a store with something in it will do.
 *
 * @example
 * for (const { name, run } of storeContract({ store })) test(name, run);
 */
export function storeContract({ store, elapse }: StoreContractOptions): readonly StoreCheck[] {
  const wait = elapse ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const proven = typeof store === 'function' ? await store() : store;
      await check(proven, `contract:${crypto.randomUUID()}`, wait);
    },
  }));
}
