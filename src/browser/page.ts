import { BrowserError } from './browser-error.js';
import type { BrowserEnvironment, Channel, PagePart, TextStorage } from './environment.js';

/**
 * The page the client runs in. Everything is looked up when it is needed: a module may make its client while a server renders
 * it, and a browser that blocks storage throws at the mere sight of it.
 */
export class Page {
  readonly #environment: Partial<BrowserEnvironment>;

  constructor(environment: Partial<BrowserEnvironment> = {}) {
    this.#environment = environment;
  }

  /** The page's own address. @throws {BrowserError} `not_a_browser`. */
  get address(): URL {
    return new URL(this.need('location').href);
  }

  /** Leaves for another page. */
  leaveFor(url: string): void {
    this.need('location').assign(url);
  }

  /**
   * A storage of the page.
   *
   * @param blocked What to do where the browser does not let the page have it. @throws {BrowserError} `not_a_browser`.
   */
  storage<Blocked>(
    name: 'localStorage' | 'sessionStorage',
    blocked: (cause: unknown) => Blocked,
  ): TextStorage | Blocked {
    try {
      return this.need(name);
    } catch (error) {
      // Some browsers throw at the sight of it, others have null in its place.
      if (this.find('location')) return blocked(error);
      throw error;
    }
  }

  /** A channel to the other tabs, where there are such channels. Never throws: a client is made before it is needed. */
  channel(name: string): Channel | undefined {
    try {
      const Channel = this.find('location') && this.find('BroadcastChannel');
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

  /** A part of the page; nothing on a server and in browsers that lack it. */
  find<Name extends keyof BrowserEnvironment>(name: Name): BrowserEnvironment[Name] | undefined {
    const { navigator } = globalThis as { readonly navigator?: unknown };
    // Whatever a page has under these names has the parts declared above.
    const page: Partial<BrowserEnvironment> = Object(name === 'locks' ? navigator : globalThis);
    return (name in this.#environment ? this.#environment : page)[name];
  }

  /** A part that every page has. @throws {BrowserError} `not_a_browser`. */
  need<Name extends PagePart>(name: Name): NonNullable<BrowserEnvironment[Name]> {
    const found = this.find(name);
    if (found) return found;
    throw new BrowserError('not_a_browser', {
      what: `The browser client needs a page, and there is no ${name} here`,
      why: 'The program runs on a server, or in a worker',
      next: 'Call it in the page; on a server use sallyport/session',
      reason: name,
    });
  }
}

/** Whether an address is that of a page, whatever its query says. */
export const isAt = (address: URL, page: URL): boolean =>
  address.origin === page.origin && address.pathname === page.pathname;
