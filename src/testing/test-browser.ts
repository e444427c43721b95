import { SallyportError } from '../errors/index.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { adviceFor } from '../http/fetch-advice.js';
import { loopbackFetch } from '../http/loopback-fetch.js';
import { CookieJar } from './cookie-jar.js';
import { fillForm } from './html-form.js';
import { maxRedirects, redirectOf } from './redirects.js';

/** The server of a site: its URL, or a function that answers its requests. */
export type Site = string | ((request: Request) => Response | Promise<Response>);

/** Options of `TestBrowser`. All are optional. */
export interface TestBrowserOptions {
  /** Servers by origin, such as `{ [world.url]: world.fetch }`. Requests to other origins are sent to their URL. */
  readonly sites?: Readonly<Record<string, Site>> | undefined;
  /**
   * Email address of the user who signs in. The browser adds it to each authorization URL as `login_hint`, so that an emulator with
   * `autoApprove` signs this user in without a form.
   */
  readonly loginHint?: string | undefined;
  /** The `User-Agent` header. Default: `TestBrowser`. */
  readonly userAgent?: string | undefined;
}

/** A request for a page that is not a plain GET. */
export interface PageRequest {
  /** Default: POST with `form`, otherwise GET. */
  readonly method?: string | undefined;
  /** Fields of a form. */
  readonly form?: URLSearchParams | Readonly<Record<string, string>> | undefined;
}

/** A page that a test browser has opened. */
export interface BrowserPage {
  /** URL after all redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** The body, such as HTML. */
  readonly text: string;
}

const optionNames: OptionNames<TestBrowserOptions> = { sites: 1, loginHint: 1, userAgent: 1 };

/**
 * A browser without scripts and without a window, for tests of sign-ins and forms. It keeps cookies, follows redirects between sites,
 * fills in forms, and sends the headers of a browser that opens a page. It finds names below `localhost` on this machine, and accepts
 * the own certificates of applications there. It does not know `SameSite`.
 *
 * @example
 * const browser = new TestBrowser({ sites: { [world.url]: world.fetch } });
 * await browser.open('http://localhost:3000/account');
 * await browser.submit({ email: 'ada@example.com' });
 * const { url, text } = await browser.submit({ password: 'analytical-engine' });
 *
 * @throws {ConfigurationError} An option is unknown.
 */
export class TestBrowser {
  readonly #options: TestBrowserOptions;
  readonly #cookies = new CookieJar();
  #page: BrowserPage = { url: '', status: 0, headers: new Headers(), text: '' };

  constructor(options: TestBrowserOptions = {}) {
    checkNames('TestBrowser', options, optionNames);
    this.#options = options;
  }

  /** The current page. */
  get page(): BrowserPage {
    return this.#page;
  }

  /** Get the `Cookie` header for a URL. Empty if the browser has no cookie for it. */
  cookiesFor(url: string): string {
    return this.#cookies.headerFor(new URL(url));
  }

  /**
   * Open a page and follow redirects. A redirect to the scheme of a native application, such as `com.example.app:/callback`, ends there:
   * the result has its URL and the status of the redirect.
   *
   * @throws {SallyportError} `site_unreachable` if a site does not answer, `too_many_redirects` after 20 redirects.
   */
  async open(url: string, request: PageRequest = {}): Promise<BrowserPage> {
    const { form, method = form ? 'POST' : 'GET' } = request;
    this.#page = await this.#load(new URL(url), method, form && new URLSearchParams(form));
    return this.#page;
  }

  /**
   * Fill in the first form of the page and submit it with its first button. Other fields keep their values.
   *
   * @param fields Values by the names of the fields.
   * @param button Beginning of the label of another button. The form that has it is submitted.
   * @throws {SallyportError} `no_form` if the page has no such form, `unknown_field` if it does not have all fields.
   */
  async submit(fields: Readonly<Record<string, string>> = {}, button?: string): Promise<BrowserPage> {
    const { url, status, text } = this.#page;
    const filled = fillForm(text, fields, button);
    if (!filled)
      throw new SallyportError('no_form', {
        what: `The page ${pathOf(url)} has no form${button === undefined ? '' : ` with the button ${button}`}, and the status ${status}`,
        next: 'Print browser.page to see which page the browser shows',
      });
    if ('fieldNames' in filled)
      throw new SallyportError('unknown_field', {
        what: `The form of the page ${pathOf(url)} does not have all of the fields ${Object.keys(fields).join(', ')}`,
        next: `Its fields are ${filled.fieldNames.join(', ')}`,
      });
    const { action, method, body } = filled;
    const target = new URL(action, url);
    if (method === 'POST') return this.open(target.href, { form: body });
    target.search = `${body}`;
    return this.open(target.href);
  }

  async #load(url: URL, method: string, form: URLSearchParams | undefined, count = 0): Promise<BrowserPage> {
    const { loginHint } = this.#options;
    if (loginHint !== undefined && /\/(?:user_management|sso)\/authorize$/.test(url.pathname))
      url.searchParams.set('login_hint', loginHint);
    const response = await this.#send(url, method, form);
    this.#cookies.store(url, response.headers.getSetCookie());
    const { status, headers } = response;
    const target = redirectOf(response, { url: url.href, method });
    const page = { url: url.href, status, headers, text: await response.text() };
    if (!target) return page;
    if (!/^https?:$/.test(target.url.protocol)) return { ...page, url: target.url.href };
    if (count === maxRedirects)
      throw new SallyportError('too_many_redirects', {
        what: `The browser stopped after ${maxRedirects} redirects, at ${pathOf(url.href)}`,
      });
    return this.#load(target.url, target.method, target.keepsBody ? form : undefined, count + 1);
  }

  async #send(url: URL, method: string, form: URLSearchParams | undefined): Promise<Response> {
    const { sites = {}, userAgent = 'TestBrowser' } = this.#options;
    const site = sites[url.origin] ?? url.origin;
    const cookie = this.#cookies.headerFor(url);
    const headers = {
      accept: 'text/html,*/*;q=0.8',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'user-agent': userAgent,
      ...(method !== 'GET' && { origin: this.#page.url === '' ? url.origin : new URL(this.#page.url).origin }),
      ...(cookie !== '' && { cookie }),
    };
    const init: RequestInit = { method, headers, redirect: 'manual', ...(form && { body: form }) };
    if (typeof site === 'function') return site(new Request(url, init));
    try {
      // `fetch` would overwrite the Sec-Fetch headers of a browser.
      return await loopbackFetch(new Request(site + url.pathname + url.search, init));
    } catch (cause) {
      throw new SallyportError(
        'site_unreachable',
        {
          what: `The browser cannot open ${pathOf(url.href)}`,
          why: 'The request failed',
          next: adviceFor(cause, `Start the server of this site, or pass its function as sites['${url.origin}']`),
        },
        { cause },
      );
    }
  }
}

/** A URL without its query, which may hold a code or a token. */
function pathOf(url: string): string {
  if (url === '') return '(none is open)';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
