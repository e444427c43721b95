import { createStore, memoryStore, type Store } from 'sallyport/stores';
import { type ReceiveOptions, receive, signWebhook, type WebhookProblem } from 'sallyport/webhooks';
import { describe, expect, test } from 'vitest';
import { claim } from '../../src/webhooks/replay-guard.js';
import { deferred } from '../deferred.js';
import { body, header, secret, sentAt } from './delivery.js';

/** Creates a store, a clock, and a receiver of one delivery. */
function receiver(store?: Store) {
  const clock = { at: sentAt };
  const used = store ?? memoryStore({ now: () => clock.at });
  const problems: WebhookProblem[] = [];
  const deliver = async (options: Partial<ReceiveOptions> = {}, payload = body) => {
    const sigHeader = payload === body ? header : await signWebhook({ payload, secret, timestamp: sentAt });
    return receive(
      new Request('https://app.acme.test/', {
        method: 'POST',
        headers: { 'service-signature': sigHeader },
        body: payload,
      }),
      { secret, now: () => sentAt, store: used, onProblem: (problem) => problems.push(problem), ...options },
    );
  };
  return { clock, store: used, problems, deliver };
}

/** A handler that ends when `finish` is called; `begun` resolves when it starts. */
function handling() {
  const begin = deferred<void>();
  const end = deferred<void>();
  const handler = () => {
    begin.resolve();
    return end.promise;
  };
  return { handler, begun: begin.promise, finish: end.resolve };
}

describe('an event', () => {
  test('is handled only once even if it is delivered repeatedly', async () => {
    const { deliver } = receiver();
    let handled = 0;
    const handler = () => handled++;

    expect(await deliver({ handler })).toMatchObject({ status: 'handled', httpStatus: 200, isDuplicate: false });
    for (let again = 0; again < 9; again++)
      expect(await deliver({ handler })).toMatchObject({ status: 'duplicate', httpStatus: 200, isDuplicate: true });
    expect(handled).toBe(1);
  });

  test('is handled at every delivery if no store is configured', async () => {
    const { deliver } = receiver();
    let handled = 0;

    for (let again = 0; again < 3; again++) await deliver({ store: undefined, handler: () => handled++ });
    expect(handled).toBe(3);
  });

  test('results in status code 409 while another replica is handling the event', async () => {
    const { deliver } = receiver();
    const { handler, begun, finish } = handling();
    const first = deliver({ handler });
    await begun;

    expect(await deliver({ handler: () => undefined })).toMatchObject({ status: 'busy', httpStatus: 409 });
    finish();
    expect(await first).toMatchObject({ status: 'handled' });
    expect(await deliver({ handler: () => undefined })).toMatchObject({ status: 'duplicate' });
  });

  test('is handled again if the handler threw', async () => {
    const { deliver } = receiver();
    let handled = 0;

    expect(await deliver({ handler: () => Promise.reject(new Error('down')) })).toMatchObject({ httpStatus: 500 });
    expect(await deliver({ handler: () => handled++ })).toMatchObject({ status: 'handled' });
    expect(handled).toBe(1);
  });

  test("is handled at the next delivery if receive() rejected with the handler's error", async () => {
    const { deliver } = receiver();
    const handler = () => Promise.reject(new Error('down'));

    await expect(deliver({ handler, onProblem: undefined })).rejects.toThrow('down');
    expect(await deliver({ handler: () => undefined })).toMatchObject({ status: 'handled' });
  });

  test('is handled by another replica after the lease of a killed replica expires', async () => {
    const { clock, deliver } = receiver();
    await new Promise<void>((isRunning) => {
      void deliver({
        handler: () => {
          isRunning();
          return new Promise(() => undefined);
        },
      });
    });
    const handler = () => undefined;

    clock.at += 299_999;
    expect(await deliver({ handler })).toMatchObject({ status: 'busy' });
    clock.at += 1;
    expect(await deliver({ handler })).toMatchObject({ status: 'handled' });
  });

  test('is remembered for seven days', async () => {
    const { clock, deliver } = receiver();
    const handler = () => undefined;
    await deliver({ handler });

    clock.at += 7 * 86_400_000 - 1;
    expect(await deliver({ handler })).toMatchObject({ status: 'duplicate' });
    clock.at += 1;
    expect(await deliver({ handler })).toMatchObject({ status: 'handled' });
  });

  test('is handled once for each receiver name in a shared store', async () => {
    const { deliver } = receiver();
    const handler = () => undefined;

    expect(await deliver({ handler, name: 'mail' })).toMatchObject({ status: 'handled' });
    expect(await deliver({ handler, name: 'search' })).toMatchObject({ status: 'handled' });
    expect(await deliver({ handler, name: 'mail' })).toMatchObject({ status: 'duplicate' });
  });

  test('is deduplicated even if the id contains spaces or non-ASCII characters', async () => {
    const keys: string[] = [];
    const store = memoryStore();
    const watched = createStore({
      ...store,
      compareAndSet(key, ...rest) {
        keys.push(key);
        return store.compareAndSet(key, ...rest);
      },
    });
    const { deliver } = receiver(watched);
    const handler = () => undefined;

    for (const id of ['event_01', ':event', 'an id with blanks', 'é'.repeat(400)]) {
      const payload = JSON.stringify({ id, event: 'user.created', data: {} });
      expect(await deliver({ handler }, payload)).toMatchObject({ status: 'handled', id });
      expect(await deliver({ handler }, payload)).toMatchObject({ status: 'duplicate' });
    }
    for (const key of keys) expect(key).toMatch(/^[\w:.-]{1,200}$/);
  });

  test('is not claimed by a request with an invalid signature', async () => {
    const { deliver, store } = receiver();
    await deliver({ secret: 'whsec_another', handler: () => undefined });

    expect(await store.get('webhook:default:event_01')).toBeUndefined();
  });
});

describe('without a handler,', () => {
  test('an event is reported as a duplicate after the caller acknowledges it', async () => {
    const { deliver } = receiver();
    const first = await deliver();

    expect(first.status).toBe('received');
    expect(await deliver()).toMatchObject({ status: 'busy', httpStatus: 409 });
    if (first.status === 'received') await first.ack();
    expect(await deliver()).toMatchObject({ status: 'duplicate', isDuplicate: true });
  });

  test('an event can be received again after the caller releases it', async () => {
    const { deliver } = receiver();
    const first = await deliver();
    if (first.status === 'received') await first.fail();

    expect(await deliver()).toMatchObject({ status: 'received', isDuplicate: false });
  });
});

describe('a lease that expires while the handler runs', () => {
  test('causes no second run of the handler if no other delivery claims the event in the meantime', async () => {
    const { clock, deliver } = receiver();
    await deliver({
      handler: () => {
        clock.at += 400_000;
      },
    });

    expect(await deliver({ handler: () => undefined })).toMatchObject({ status: 'duplicate' });
  });

  test('allows a second delivery to claim the event and to keep the claim after the first handler ends', async () => {
    const { clock, deliver } = receiver();
    const slow = handling();
    const other = handling();
    const first = deliver({ handler: slow.handler });
    await slow.begun;
    clock.at += 400_000;
    const second = deliver({ handler: other.handler });
    await other.begun;
    slow.finish();
    await first;

    expect(await deliver({ handler: () => undefined })).toMatchObject({ status: 'busy' });
    other.finish();
    expect(await second).toMatchObject({ status: 'handled' });
  });
});

describe('an onProblem callback', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('that %s does not change the result of a delivery', async (_how, onProblem) => {
    const { deliver } = receiver();

    expect(await deliver({ secret: 'whsec_another', onProblem })).toMatchObject({ status: 'refused', httpStatus: 400 });
    expect(await deliver({ onProblem, handler: () => Promise.reject(new Error('down')) })).toMatchObject({
      status: 'failed',
      httpStatus: 500,
    });
    expect(await deliver({ onProblem, handler: () => undefined })).toMatchObject({ status: 'handled' });
  });
});

describe('a failing store', () => {
  const down = new Error('connection refused');
  /** A memory store with these failing operations. */
  const failing = (...names: (keyof Store)[]): Store => {
    const store = memoryStore();
    return createStore({ ...store, ...Object.fromEntries(names.map((name) => [name, () => Promise.reject(down)])) });
  };

  test('results in status code 503 without a call to the handler', async () => {
    const { deliver, problems } = receiver(failing('compareAndSet'));
    let handled = 0;

    expect(await deliver({ handler: () => handled++ })).toMatchObject({
      status: 'store_failed',
      httpStatus: 503,
      error: down,
    });
    expect(handled).toBe(0);
    expect(problems).toEqual([
      {
        code: 'store_failed',
        message: 'The store failed for the event event_01: connection refused',
        cause: down,
        id: 'event_01',
      },
    ]);
  });

  test('that records a claim only after the timeout does not block the next delivery', async () => {
    const store = memoryStore();
    const answer = deferred<void>();
    const slow = createStore({
      ...store,
      async compareAndSet(...given) {
        await answer.promise;
        return store.compareAndSet(...given);
      },
    });
    const key = 'webhook:default:event_01';
    const late = claim({ store: slow, key, leaseMs: 300_000, rememberMs: 300_000, timeoutMs: 1 });
    await expect(late).rejects.toThrow('timed out after 1 ms');
    answer.resolve();
    const { deliver } = receiver(store);

    await expect.poll(async () => (await deliver({ handler: () => undefined })).status).toBe('handled');
  });

  test('does not make the delivery fail if the handler has already succeeded', async () => {
    const store = memoryStore();
    let asked = 0;
    const { deliver, problems } = receiver(
      createStore({
        ...store,
        compareAndSet: async (...given) => {
          if (asked++ > 0) throw down;
          return store.compareAndSet(...given);
        },
      }),
    );

    expect(await deliver({ handler: () => undefined })).toMatchObject({ status: 'handled', httpStatus: 200 });
    expect(problems).toEqual([
      {
        code: 'store_failed',
        message: 'The store failed for the event event_01: connection refused',
        cause: down,
        id: 'event_01',
      },
    ]);
  });

  test("does not hide the handler's error", async () => {
    const { deliver, problems } = receiver(failing('delete'));
    const failure = new Error('no such table');

    expect(await deliver({ handler: () => Promise.reject(failure) })).toMatchObject({
      status: 'failed',
      error: failure,
    });
    expect(problems.map(({ cause }) => cause)).toEqual([down, failure]);
  });
});
