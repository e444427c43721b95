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

/** A person with a browser, for the examples: keeps cookies, follows redirects from site to site, fills in forms. */
export class Person {
  readonly #cookies = new Map<string, Map<string, string>>();
  #page: Page = { url: '', status: 0, text: '' };

  constructor(
    /** Who they say they are at the service's sign-in page; nobody, for somebody who fills in the form there. */
    readonly email?: string,
    /** Sites that are not where their addresses say. */
    readonly sites: Readonly<Record<string, Site>> = {},
    /** What their browser says it is. */
    readonly userAgent = 'A browser',
  ) {}

  /** The last page. */
  get page(): Page {
    return this.#page;
  }

  /** The `Cookie` header for an address. */
  cookiesFor(address: string): string {
    return [...(this.#cookies.get(new URL(address).host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Opens an address and follows where it leads. */
  async open(address: string, method = 'GET', form?: URLSearchParams): Promise<Page> {
    const url = new URL(address);
    if (this.email && url.pathname === '/user_management/authorize') url.searchParams.set('login_hint', this.email);
    const { status, headers, text } = await this.#ask(url, method, form?.toString());
    this.#keep(url, headers.getSetCookie());
    const location = headers.get('location');
    if (location !== null) return this.open(new URL(location, url).href);
    this.#page = { url: url.href, status, text };
    return this.#page;
  }

  /** Fills in the first form of the page and sends it. */
  async submit(fields: Readonly<Record<string, string>>): Promise<Page> {
    const { url, text } = this.#page;
    const [form = ''] = /<form[\s\S]*?<\/form>/.exec(text) ?? [];
    const [, action = url] = /<form[^>]* action="([^"]*)"/.exec(form) ?? [];
    const filled = [...form.matchAll(/<input [^>]*name="([^"]*)"[^>]* value="([^"]*)"/g)];
    const body = new URLSearchParams(filled.map(([, name = '', value = '']) => [name, value]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return this.open(new URL(action.replaceAll('&amp;', '&'), url).href, 'POST', body);
  }

  /** Comes as a stranger, goes to the account, which takes a sign-in, comes back, signs out. Prints what each page says. */
  async visit(site: string): Promise<void> {
    for (const path of ['/', '/account', '/']) console.log((await this.open(site + path)).text);
    console.log((await this.open(`${site}/sign-out`, 'POST')).text);
  }

  async #ask(url: URL, method: string, body: string | undefined) {
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
    // Not by `fetch`, which says of itself that it opens no page.
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

  #keep(url: URL, lines: readonly string[]): void {
    const cookies = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, cookies);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0\b/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  }
}
