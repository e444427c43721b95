import { createStore, memoryStore, redisStore } from 'sallyport/stores';
import { describe, expect, test, vi } from 'vitest';
import { leaks, published } from '../diagnostics.js';

const channel = 'sallyport:store:operation';
const durationMs = expect.any(Number);

describe('diagnostic messages on sallyport:store:operation', () => {
  test('report each operation, including lock operations', async () => {
    const store = memoryStore();
    const messages = published(channel);

    await store.set('key', 'one');
    await store.get('key');
    await store.compareAndSet('key', 'other', 'two');
    await store.delete('key');
    await (await store.lock('lock', 1_000))?.();

    expect(messages).toEqual(
      ['set', 'get', 'compareAndSet', 'delete', 'compareAndSet', 'delete'].map((operation) => [
        channel,
        { operation, outcome: 'ok', durationMs },
      ]),
    );
  });

  test('report a failed operation', async () => {
    const failing = async () => {
      throw new Error('no connection');
    };
    const thrown = () => {
      throw new Error('no client');
    };
    const store = createStore({ ...memoryStore(), get: failing, delete: thrown });
    const messages = published(channel);

    await expect(store.get('key')).rejects.toThrow('no connection');
    await expect(store.delete('key')).rejects.toThrow('no client');

    expect(messages.filter(([, { outcome }]) => outcome === 'failed')).toEqual([
      [channel, { operation: 'get', outcome: 'failed', durationMs }],
      [channel, { operation: 'delete', outcome: 'failed', durationMs }],
    ]);
  });

  test('contain no keys, values or database errors', async () => {
    const messages = published(channel);
    const store = memoryStore();
    const failing = redisStore(async () => {
      throw new Error('canary at redis://canary:canary@canary');
    });

    await store.set('canary', 'canary');
    await store.get('canary');
    await failing.get('canary').catch(() => {});

    expect(messages).toHaveLength(3);
    expect(leaks(messages, ['canary'])).toEqual([]);
  });

  test('include a duration, which is measured only if the channel has subscribers', async () => {
    const store = memoryStore({ now: () => 0 });
    const clock = vi.spyOn(performance, 'now');

    await store.set('key', 'one');
    expect(clock).not.toHaveBeenCalled();
    published(channel);
    await store.set('key', 'one');
    expect(clock).toHaveBeenCalledTimes(2);

    clock.mockRestore();
  });
});
