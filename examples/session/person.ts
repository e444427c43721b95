import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The server of a site: its URL, or a function that handles its requests. */
export type Site = string | ((request: Request) => Response | Promise<Response>);

/** A loaded page. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** A simulated user with a browser. Keeps cookies, follows redirects between sites, and fills in forms. */
export class Person {
  readonly #cookies = new Map<string, Map<string, string>>();
  #page: Page = { url: '', status: 0, text: '' };

  constructor(
    /** Email address to sign in with. Without it, the user fills in the form of the sign-in page. */
    readonly email?: string,
    /** Servers by origin. Requests to other origins go to their URL. */
    readonly sites: Readonly<Record<string, Site>> = {},
    /** The User-Agent header. */
    readonly userAgent = 'A browser',
  ) {}

  /** The current page. */
  get page(): Page {
    return this.#page;
  }

  /** The `Cookie` header for a URL. */
  cookiesFor(address: string): string {
    return [...(this.#cookies.get(new URL(address).host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Open a URL and follow redirects. */
  async open(address: string, method = 'GET', form?: URLSearchParams): Promise<Page> {
    const url = new URL(address);
    if (this.email && url.pathname === '/user_management/authorize') url.searchParams.set('login_hint', this.email);
    const { status, headers, text } = await this.#send(url, method, form?.toString());
    this.#storeCookies(url, headers.getSetCookie());
    const location = headers.get('location');
    if (location !== null) return this.open(new URL(location, url).href);
    this.#page = { url: url.href, status, text };
    return this.#page;
  }

  /** Fill in the first form of the page and submit it. */
  async submit(fields: Readonly<Record<string, string>>): Promise<Page> {
    const { url, text } = this.#page;
    const [form = ''] = /<form[\s\S]*?<\/form>/.exec(text) ?? [];
    const [, action = url] = /<form[^>]* action="([^"]*)"/.exec(form) ?? [];
    const filled = [...form.matchAll(/<input [^>]*name="([^"]*)"[^>]* value="([^"]*)"/g)];
    const body = new URLSearchParams(filled.map(([, name = '', value = '']) => [name, value]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return this.open(new URL(action.replaceAll('&amp;', '&'), url).href, 'POST', body);
  }

  /** Open the home page, the account page (which requires sign-in) and the home page again, then sign out. Prints each page. */
  async visit(site: string): Promise<void> {
    for (const path of ['/', '/account', '/']) console.log((await this.open(site + path)).text);
    console.log((await this.open(`${site}/sign-out`, 'POST')).text);
  }

  async #send(url: URL, method: string, body: string | undefined) {
    const site = this.sites[url.origin] ?? url.origin;
    const headers = {
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      cookie: this.cookiesFor(url.href),
      'user-agent': this.userAgent,
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    if (typeof site === 'function') {
      const response = await site(new Request(url, { method, headers, redirect: 'manual', body: body ?? null }));
      return { status: response.status, headers: response.headers, text: await response.text() };
    }
    // `fetch` would overwrite the Sec-Fetch headers of a navigation.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(site + url.pathname + url.search, { method, headers, agent: false }, resolve)
        .on('error', reject)
        .end(body);
    });
    const received = new Headers();
    for (const [name, values] of Object.entries(response.headersDistinct))
      for (const value of values ?? []) received.append(name, value);
    return { status: response.statusCode ?? 0, headers: received, text: await text(response) };
  }

  #storeCookies(url: URL, lines: readonly string[]): void {
    const cookies = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, cookies);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0\b/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  }
}
