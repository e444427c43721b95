import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';

/** Requests of a server as in workerd: the timers of a canceled request are gone. Time is fake. */
export function workerRequests() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const storage = new AsyncLocalStorage<{ isOver: boolean; readonly ends: (() => void)[] }>();
  const onCut = (callback: () => void) => void storage.getStore()?.ends.push(callback);
  const ofRequest =
    <Timer>(set: (callback: () => void, ms: number) => Timer, clear: (timer: Timer) => void) =>
    (callback: () => void, ms: number): Timer | undefined => {
      if (storage.getStore()?.isOver) return undefined;
      const timer = set(callback, ms);
      onCut(() => clear(timer));
      return timer;
    };
  const fakes = { setTimeout, setInterval };
  globalThis.setTimeout = ofRequest(setTimeout, clearTimeout) as typeof setTimeout;
  globalThis.setInterval = ofRequest(setInterval, clearInterval) as typeof setInterval;
  return {
    /** Handle a request. The returned function cancels it. */
    handle(handler: () => unknown): () => void {
      const request = { isOver: false, ends: [] as (() => void)[] };
      storage.run(request, handler);
      return () => {
        request.isOver = true;
        for (const end of request.ends) end();
      };
    },
    isOver: () => storage.getStore()?.isOver === true,
    /** Call back when the request is canceled. */
    onCut,
    end() {
      Object.assign(globalThis, fakes);
      vi.useRealTimers();
    },
  };
}
