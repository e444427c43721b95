import type { BrowserClient } from 'sallyport/browser';
import { onTestFinished } from 'vitest';
import { hurry } from '../time.js';
import { type BrowserClientOptions, createBrowserClient } from './client.js';
import { type Site, site, type Tab } from './surroundings.js';
import { type Mishap, TokenService } from './token-service.js';

export const home = 'https://app.example.com/orders?page=2';
export const callback = 'https://app.example.com/callback';
export const baseUrl = 'https://api.example.com';

/** One tab with the application. */
export interface AppTab extends Tab {
  readonly auth: BrowserClient;
}

/** A new browser, application and service. */
export interface App {
  readonly service: TokenService;
  readonly site: Site;
  readonly clientId: string;
  /** Open the application in another tab. */
  open(options?: Partial<BrowserClientOptions>, url?: string): AppTab;
  /** Reload a tab, which loses its memory. */
  reload(tab: AppTab, options?: Partial<BrowserClientOptions>): AppTab;
  /** Open the application in another tab and sign Ada in. */
  signedIn(options?: Partial<BrowserClientOptions>): Promise<AppTab>;
}

let count = 0;

export function app(shared: Partial<BrowserClientOptions> = {}): App {
  const service = new TokenService();
  const browser = site({ fetch: service.fetch, now: () => service.time });
  // Channels are found by the client id in the whole process.
  const clientId = `client_${++count}`;
  const run = (tab: Tab, options: Partial<BrowserClientOptions> = {}): AppTab => {
    const all = { clientId, baseUrl, redirectUri: '/callback', ...shared, ...options };
    const auth = createBrowserClient({ ...all, environment: { ...tab.environment, ...all.environment } });
    onTestFinished(() => auth.close());
    return Object.assign(tab, { auth });
  };
  const open: App['open'] = (options, url = home) => run(browser.tab(url), options);
  return {
    service,
    site: browser,
    clientId,
    open,
    reload: (tab, options) => {
      tab.auth.close();
      return run(tab, options);
    },
    async signedIn(options) {
      const tab = open(options);
      await tab.auth.signIn();
      tab.url = service.approve(tab.url);
      const result = await tab.auth.finishSignIn();
      if (result.status !== 'signed_in') throw new Error(`Ada could not sign in: ${result.status}`);
      return tab;
    },
  };
}

/** Make a call in fake time, with this mishap at both of its attempts. No retries follow without a call, because time stops. */
export async function failing<T>(service: TokenService, mishap: Mishap, call: () => Promise<T>): Promise<T> {
  service.mishaps.push(mishap, mishap);
  const { value } = await hurry(call);
  return value;
}
