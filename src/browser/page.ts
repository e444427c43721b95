import { BrowserError } from './browser-error.js';
import type { BrowserEnvironment, Channel, PagePart, TextStorage } from './environment.js';

/**
 * The page that the client runs in. Looks up everything on use, because a module may create its client on a server, and browsers
 * that block storage throw on access.
 */
export class Page {
  readonly #environment: Partial<BrowserEnvironment>;

  constructor(environment: Partial<BrowserEnvironment> = {}) {
    this.#environment = environment;
  }

  /** The URL of the page. @throws {BrowserError} `not_a_browser`. */
  get address(): URL {
    return new URL(this.need('location').href);
  }

  /** Navigate to another page. */
  leaveFor(url: string): void {
    this.need('location').assign(url);
  }

  /**
   * Return a storage of the page.
   *
   * @param blocked Called if the browser blocks the storage. @throws {BrowserError} `not_a_browser`.
   */
  storage<Blocked>(
    name: 'localStorage' | 'sessionStorage',
    blocked: (cause: unknown) => Blocked,
  ): TextStorage | Blocked {
    try {
      return this.need(name);
    } catch (error) {
      // Blocked storage throws on access in some browsers and is null in others.
      if (this.find('location')) return blocked(error);
      throw error;
    }
  }

  /** Return a channel to other tabs, or undefined without support. Never throws, because every new client opens one. */
  channel(name: string): Channel | undefined {
    try {
      const Channel = this.find('location') && this.find('BroadcastChannel');
      return Channel && new Channel(name);
    } catch {
      // Some browsers that block site data block channels too.
      return undefined;
    }
  }

  /** Return the time in milliseconds since 1970. */
  now(): number {
    return (this.#environment.now ?? Date.now)();
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return (this.#environment.fetch ?? fetch)(url, init);
  }

  /** Return a part of the page; undefined on a server and in browsers without it. */
  find<Name extends keyof BrowserEnvironment>(name: Name): BrowserEnvironment[Name] | undefined {
    const { navigator } = globalThis as { readonly navigator?: unknown };
    // The globals of a page have these types.
    const page: Partial<BrowserEnvironment> = Object(name === 'locks' ? navigator : globalThis);
    return (name in this.#environment ? this.#environment : page)[name];
  }

  /** Return a part that every page has. @throws {BrowserError} `not_a_browser`. */
  need<Name extends PagePart>(name: Name): NonNullable<BrowserEnvironment[Name]> {
    const found = this.find(name);
    if (found) return found;
    throw new BrowserError('not_a_browser', {
      what: `The browser client needs a page, and ${name} is missing`,
      why: 'The program runs on a server, or in a worker',
      next: 'Call it in a page. On a server, use sallyport/session',
      reason: name,
    });
  }
}

/** The path of a page. Static hosts add a slash at its end, or remove it. */
const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

/** Whether a URL points to a page, ignoring its query and a slash at the end of its path. */
export const isAt = (address: URL, page: URL): boolean =>
  address.origin === page.origin && pathOf(address) === pathOf(page);

/**
 * Whether a URL is that of a callback: it points to the redirect URI, and has a `state` if that is the home page, where `code` and
 * `error` may belong to the application.
 */
export const isCallback = (address: URL, redirectUri: URL): boolean =>
  isAt(address, redirectUri) && (address.pathname !== '/' || !!address.searchParams.get('state'));
