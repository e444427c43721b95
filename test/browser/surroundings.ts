import { onTestFinished } from 'vitest';
import type { BrowserEnvironment, Locks, TextStorage } from '../../src/browser/environment.js';
import { deferred } from '../deferred.js';

/** `localStorage` or `sessionStorage`, in memory. */
export class Shelf implements TextStorage {
  readonly texts = new Map<string, string>();
  getItem(key: string): string | null {
    return this.texts.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.texts.set(key, value);
  }
  removeItem(key: string): void {
    this.texts.delete(key);
  }
}

/** `navigator.locks`: one holder per name, in the order of requests. A request that is aborted while it waits is rejected. */
export class LockTable implements Locks {
  readonly #tails = new Map<string, Promise<unknown>>();
  async request<T>(name: string, { signal }: { readonly signal: AbortSignal }, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const { promise: over, resolve: release } = deferred<void>();
    this.#tails.set(
      name,
      before.then(() => over),
    );
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    try {
      await Promise.race([before, aborted]);
      return await task();
    } finally {
      release();
    }
  }
}

/** One tab of a browser: its URL and its own storage. */
export interface Tab {
  readonly environment: BrowserEnvironment;
  /** The URL in the address bar. */
  url: string;
  readonly sessionStorage: Shelf;
}

/** The parts that the tabs of one site in one browser share. */
export interface Site {
  readonly localStorage: Shelf;
  /** Another tab, open at this address. */
  tab(url: string, other?: Partial<BrowserEnvironment>): Tab;
}

/** A browser with a site. Its channels are those of Node, and are closed after the test. */
export function site(shared: Pick<BrowserEnvironment, 'fetch' | 'now'>): Site {
  const localStorage = new Shelf();
  const locks = new LockTable();
  const open: BroadcastChannel[] = [];
  onTestFinished(() => {
    for (const channel of open) channel.close();
  });
  class Channel extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      open.push(this);
    }
  }
  return {
    localStorage,
    tab(url, other = {}) {
      const sessionStorage = new Shelf();
      const tab: Tab = {
        url,
        sessionStorage,
        environment: {
          location: {
            get href() {
              return tab.url;
            },
            assign(next: string) {
              tab.url = next;
            },
          },
          history: {
            state: null,
            replaceState(_state: unknown, _unused: string, next: string) {
              tab.url = next;
            },
          },
          sessionStorage,
          localStorage,
          locks,
          BroadcastChannel: Channel,
          ...shared,
          ...other,
        },
      };
      return tab;
    },
  };
}
