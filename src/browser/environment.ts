/** The parts of `localStorage` and `sessionStorage` that are used. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The parts of the Web Locks API that are used. */
export interface Locks {
  request<T>(name: string, options: { readonly signal: AbortSignal }, task: () => Promise<T>): Promise<T>;
}

/** The parts of a `BroadcastChannel` that are used. */
export interface Channel {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
  close(): void;
}

/** What a page offers, for tests and unusual surroundings that put something else in its place. */
export interface BrowserEnvironment {
  readonly location: { readonly href: string; assign(url: string): void };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
  readonly sessionStorage: TextStorage;
  readonly localStorage: TextStorage;
  /** `navigator.locks`; older browsers have none, and then it is done without. */
  readonly locks: Locks | undefined;
  /** Older browsers have none, and then it is done without. */
  readonly BroadcastChannel: (new (name: string) => Channel) | undefined;
  readonly fetch: typeof fetch;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
}

/** What the client needs a page to have. */
export type PagePart = 'location' | 'history' | 'sessionStorage' | 'localStorage';
