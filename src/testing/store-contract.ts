import { checkNames } from '../errors/known-options.js';
import { createStore } from '../stores/create-store.js';
import type { StoreOperations } from '../stores/store.js';

/** Options of `storeContract`. */
export interface StoreContractOptions {
  /** The store to test, or a function that returns it. The function is called once for each check. */
  readonly store: StoreOperations | (() => StoreOperations | Promise<StoreOperations>);
  /** Let this many milliseconds pass. By default, waits in real time. If the store has its own clock, advance that instead. */
  readonly elapse?: ((ms: number) => Promise<void> | void) | undefined;
}

/** One check of the contract. */
export interface StoreCheck {
  /** The requirement, for the title of a test. */
  readonly name: string;
  /** Run the check. Rejects if the store does not meet the requirement. */
  readonly run: () => Promise<void>;
}

type Check = (store: StoreOperations, key: string, elapse: (ms: number) => Promise<void> | void) => Promise<void>;

/** Time to live of test values in milliseconds. Longer than a request to the store, but short because checks wait for it. */
const ttlMs = 400;
const claimants = 50;

function expectThat(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The store breaks its contract: ${problem}`);
}

async function expectValue(store: StoreOperations, key: string, value: string | undefined, situation: string) {
  const actual = (await store.get(key)) ?? undefined;
  expectThat(actual === value, `${situation}: get returned ${JSON.stringify(actual)}, not ${JSON.stringify(value)}`);
}

const times = <Value>(count: number, make: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const winners = (answers: readonly boolean[]): number => answers.filter((answer) => answer === true).length;

const checks: Readonly<Record<string, Check>> = {
  'returns undefined before the first set, and then the last value that was set': async (store, key) => {
    await expectValue(store, key, undefined, 'before the first set');
    await store.set(key, 'one');
    await store.set(key, 'two');
    await expectValue(store, key, 'two', 'after two sets');
  },
  'stores any string unchanged': async (store, key) => {
    for (const text of ['', '0', 'null', '{"a":"é 😀"}', ' \r\n\t', 'x'.repeat(100_000), "'; DROP TABLE users; --"]) {
      await store.set(key, text);
      await expectValue(store, key, text, 'after storing that text');
    }
  },
  'distinguishes similar keys': async (store, key) => {
    const keys = [`${key}:a`, `${key}:A`, `${key}:a:`, `${key}.a`, `${key}_a`, `${key}-a`];
    await Promise.all(keys.map((one) => store.set(one, one)));
    for (const one of keys) await expectValue(store, one, one, 'after setting similar keys');
  },
  'deletes a value when it expires': async (store, key, elapse) => {
    await store.set(key, 'short', ttlMs);
    await expectValue(store, key, 'short', 'before the time to live was over');
    await elapse(ttlMs + 50);
    await expectValue(store, key, undefined, 'after the time to live');
  },
  'keeps a value that was set again without a time to live': async (store, key, elapse) => {
    await store.set(key, 'short', ttlMs);
    await store.set(key, 'for good');
    await elapse(ttlMs + 50);
    await expectValue(store, key, 'for good', 'after a set without a time to live');
  },
  'grants only one of fifty concurrent claims': async (store, key) => {
    const answers = await times(claimants, (who) => store.compareAndSet(key, undefined, `${who}`, 60_000));
    expectThat(winners(answers) === 1, `${winners(answers)} of ${claimants} claims won the key`);
    await expectValue(store, key, `${answers.indexOf(true)}`, 'after one of them had won');
  },
  'grants only one of fifty concurrent claims after an earlier claim has expired': async (store, key, elapse) => {
    await store.compareAndSet(key, undefined, 'first', ttlMs);
    await elapse(ttlMs + 50);
    const answers = await times(claimants, (who) => store.compareAndSet(key, undefined, `${who}`, 60_000));
    expectThat(winners(answers) === 1, `${winners(answers)} of ${claimants} claims won after the first had expired`);
  },
  'lets only one of fifty concurrent writers replace a value': async (store, key) => {
    await store.set(key, 'seen');
    const answers = await times(claimants, (who) => store.compareAndSet(key, 'seen', `${who}`));
    expectThat(winners(answers) === 1, `${winners(answers)} of ${claimants} writers replaced the same value`);
    await expectValue(store, key, `${answers.indexOf(true)}`, 'after one of them had won');
  },
  'replaces a value only if it is the expected value': async (store, key, elapse) => {
    expectThat(!(await store.compareAndSet(key, 'one', 'two')), 'it replaced a missing value');
    await store.set(key, 'one', ttlMs);
    expectThat(!(await store.compareAndSet(key, 'two', 'three')), 'it replaced a value other than the expected one');
    expectThat(!(await store.compareAndSet(key, undefined, 'three')), 'it replaced a value although none was expected');
    await elapse(ttlMs + 50);
    expectThat(!(await store.compareAndSet(key, 'one', 'two')), 'it replaced an expired value');
    await expectValue(store, key, undefined, 'after the value had expired');
  },
  'applies the time to live of a replacement': async (store, key, elapse) => {
    await store.set(key, 'one');
    expectThat(await store.compareAndSet(key, 'one', 'two', ttlMs), 'it did not replace the expected value');
    await expectValue(store, key, 'two', 'after the replacement');
    await elapse(ttlMs + 50);
    await expectValue(store, key, undefined, 'after the time to live of the replacement');
  },
  'deletes a value only if it exists and is the expected value': async (store, key, elapse) => {
    await store.set(key, 'mine');
    expectThat(!(await store.delete(key, 'yours')), 'it deleted a value other than the expected one');
    await expectValue(store, key, 'mine', 'after a delete that expected another value');
    expectThat(await store.delete(key, 'mine'), 'it did not delete the expected value');
    expectThat(!(await store.delete(key)), 'it reported deleting a missing value');
    await store.set(key, 'short', ttlMs);
    await elapse(ttlMs + 50);
    expectThat(!(await store.delete(key)), 'it reported deleting an expired value');
  },
  'grants a lock to only one of fifty callers, and a second release does not affect the next holder': async (
    operations,
    key,
  ) => {
    const store = createStore(operations);
    const releases = await times(claimants, () => store.lock(key, 60_000));
    const locks = releases.filter((release) => release !== undefined);
    expectThat(locks.length === 1, `${locks.length} of ${claimants} got the lock`);
    await locks[0]!();
    expectThat((await store.lock(key, 60_000)) !== undefined, 'a released lock could not be acquired');
    await locks[0]!();
    expectThat((await store.lock(key, 60_000)) === undefined, 'a second release took the lock from its next holder');
  },
};

/**
 * List the checks that a custom store must pass. They work with any test runner. Every run uses new keys, so the store does not
 * have to be empty.
 *
 * @example
 * for (const { name, run } of storeContract({ store })) test(name, run);
 */
export function storeContract(options: StoreContractOptions): readonly StoreCheck[] {
  checkNames('storeContract', options, { store: 1, elapse: 1 });
  const { store, elapse } = options;
  const wait = elapse ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const tested = typeof store === 'function' ? await store() : store;
      await check(tested, `contract:${crypto.randomUUID()}`, wait);
    },
  }));
}
