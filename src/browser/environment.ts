/** The parts of `localStorage` and `sessionStorage` that the client uses. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The parts of the Web Locks API that the client uses. */
export interface Locks {
  request<T>(name: string, options: { readonly signal: AbortSignal }, task: () => Promise<T>): Promise<T>;
}

/** The parts of `BroadcastChannel` that the client uses. */
export interface Channel {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
  close(): void;
}

/** Browser APIs that the client uses. Tests replace them. */
export interface BrowserEnvironment {
  readonly location: { readonly href: string; assign(url: string): void };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
  readonly sessionStorage: TextStorage;
  readonly localStorage: TextStorage;
  /** `navigator.locks`; optional, because older browsers lack it. */
  readonly locks: Locks | undefined;
  /** Optional, because older browsers lack it. */
  readonly BroadcastChannel: (new (name: string) => Channel) | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Parts of a page that the client requires. */
export type PagePart = 'location' | 'history' | 'sessionStorage' | 'localStorage';
