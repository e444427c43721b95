import { BrowserError } from './browser-error.js';
import type { BrowserEnvironment, Channel, Locks, PagePart, TextStorage } from './environment.js';

/**
 * The page the client runs in. Everything is looked up when it is needed: a module may make its client while a server renders
 * it, and a browser that blocks storage throws at the mere sight of it.
 */
export class Page {
  readonly #environment: Partial<BrowserEnvironment>;

  constructor(environment: Partial<BrowserEnvironment> = {}) {
    this.#environment = environment;
  }

  /** Whether there is a page, and not a server that renders one. */
  get exists(): boolean {
    return this.#find('location') !== undefined;
  }

  /** The page's own address. @throws {BrowserError} `not_a_browser`. */
  get address(): URL {
    return new URL(this.#need('location').href);
  }

  /** Leaves for another page. */
  leaveFor(url: string): void {
    this.#need('location').assign(url);
  }

  /** Puts another address into the address bar, without loading anything and without an entry to go back to. */
  rename(url: string): void {
    const history = this.#need('history');
    history.replaceState(history.state, '', url);
  }

  /** @throws {BrowserError} `storage_blocked`, `not_a_browser`. */
  storage(name: 'localStorage' | 'sessionStorage'): TextStorage {
    try {
      return this.#need(name);
    } catch (error) {
      // Some browsers throw at the sight of it, others have null in its place.
      throw this.exists ? storageBlocked(error) : error;
    }
  }

  get locks(): Locks | undefined {
    const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } };
    return 'locks' in this.#environment ? this.#environment.locks : navigator?.locks;
  }

  /** A channel to the other tabs, where there are such channels. Never throws: a client is made before it is needed. */
  channel(name: string): Channel | undefined {
    try {
      const Channel = this.exists ? this.#find('BroadcastChannel') : undefined;
      return Channel && new Channel(name);
    } catch {
      // Where site data is blocked, some browsers refuse channels too.
      return undefined;
    }
  }

  /** The time in milliseconds since 1970. */
  now(): number {
    return (this.#environment.now ?? Date.now)();
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return (this.#environment.fetch ?? fetch)(url, init);
  }

  #find<Name extends keyof BrowserEnvironment>(name: Name): BrowserEnvironment[Name] | undefined {
    // Whatever the global object of a page has under these names has the parts declared above.
    const globals = globalThis as unknown as Partial<BrowserEnvironment>;
    return (name in this.#environment ? this.#environment : globals)[name];
  }

  #need<Name extends PagePart>(name: Name): NonNullable<BrowserEnvironment[Name]> {
    const found = this.#find(name);
    if (found) return found;
    throw new BrowserError('not_a_browser', {
      what: `The browser client needs a page, and there is no ${name} here`,
      why: 'The program runs on a server, or in a worker',
      next: 'Call it in the page; on a server use sallyport/session',
      reason: name,
    });
  }
}

/** The browser keeps nothing for this page. */
export const storageBlocked = (cause: unknown): BrowserError =>
  new BrowserError(
    'storage_blocked',
    {
      what: 'The browser does not let this page store anything, so nobody can sign in',
      why: 'Cookies and site data are blocked, perhaps because the page is framed by another site',
      next: 'Open the page in a tab of its own, or allow site data for it',
      reason: 'storage_blocked',
    },
    { cause },
  );

/** Whether an address is that of a page, whatever its query says. */
export const isAt = (address: URL, page: URL): boolean =>
  address.origin === page.origin && address.pathname === page.pathname;
