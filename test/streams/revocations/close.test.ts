import type { Store } from 'sallyport/stores';
import { followRevocations } from 'sallyport/streams';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { stage } from '../../stage.js';

takesLong('closing a revocation list', () => {
  test('takes at most ten seconds, even if the store never responds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { sallyport } = await stage();
    const silent = () => new Promise<never>(() => {});
    const store: Store = {
      get: silent,
      set: silent,
      compareAndSet: silent,
      delete: silent,
      lock: silent,
    };
    const list = followRevocations(sallyport, { store });
    await vi.advanceTimersByTimeAsync(1_000);
    let isClosed = false;

    const closing = list.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(10_000);

    expect(isClosed).toBe(true);
    await closing;
  });
});
