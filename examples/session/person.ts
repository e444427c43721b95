import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Where a site really is: its address, or the function that answers for it. */
export type Site = string | ((request: Request) => Response | Promise<Response>);

/** What a person sees. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/**
 * A person with a browser, for the examples: keeps cookies, follows redirects from site to site, and says who they are at the
 * service's sign-in page.
 */
export class Person {
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(
    readonly email: string,
    readonly sites: Readonly<Record<string, Site>>,
  ) {}

  async open(address: string, method = 'GET'): Promise<Page> {
    const url = new URL(address);
    if (url.pathname === '/user_management/authorize') url.searchParams.set('login_hint', this.email);
    const { status, headers, text } = await this.#ask(url, method);
    this.#keep(url, headers.getSetCookie());
    const location = headers.get('location');
    return location === null ? { url: url.href, status, text } : this.open(new URL(location, url).href);
  }

  async #ask(url: URL, method: string) {
    const site = this.sites[url.origin];
    if (site === undefined) throw new Error(`Nobody answers at ${url.origin}`);
    const cookie = [...(this.#cookies.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', cookie };
    if (typeof site === 'function') {
      const response = await site(new Request(url, { method, headers, redirect: 'manual' }));
      return { status: response.status, headers: response.headers, text: await response.text() };
    }
    // Not by `fetch`, which says of itself that it opens no page.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(site + url.pathname + url.search, { method, headers, agent: false }, resolve)
        .on('error', reject)
        .end();
    });
    const received = new Headers();
    for (const [name, values] of Object.entries(response.headersDistinct))
      for (const value of values ?? []) received.append(name, value);
    return { status: response.statusCode ?? 0, headers: received, text: await text(response) };
  }

  #keep(url: URL, lines: readonly string[]): void {
    const cookies = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, cookies);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0(;|$)/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  }
}
