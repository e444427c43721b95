import type { Emulator, EmulatorOptions } from '../../../src/emulator/index.js';
import { clientId, signingIn } from '../sign-in/signing-in.js';

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const plain = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)
    .replace(/\s+/g, ' ')
    .trim();
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s>])`).exec(tag);
  return found ? plain(found[1] ?? '') : undefined;
};

/** A browser without scripts that follows redirects on the emulator and keeps its cookies. */
export class Browser {
  readonly #emulator: Pick<Emulator, 'url' | 'fetch'>;
  #cookies = new Map<string, string>();
  /** The HTML of the current page. */
  html = '';
  status = 0;
  headers = new Headers();
  /** The URL of the current page. */
  url = '';
  /** The URL at the application that the browser was redirected to, or undefined while it is at the emulator. */
  left: URL | undefined;
  /** Requests and redirects so far: `POST /hosted/authentication-methods 303`. */
  readonly trail: string[] = [];

  constructor(emulator: Pick<Emulator, 'url' | 'fetch'>) {
    this.#emulator = emulator;
  }

  /** Copies the browser in its current state, to press a button twice or to go back. */
  copy(): Browser {
    const other = new Browser(this.#emulator);
    Object.assign(other, { html: this.html, url: this.url, status: this.status, headers: this.headers });
    other.#cookies = this.#cookies;
    return other;
  }

  /** Makes two browsers share their cookies, like two tabs of one browser. */
  shareCookiesWith(other: Browser): void {
    this.#cookies = new Map([...this.#cookies, ...other.#cookies]);
    other.#cookies = this.#cookies;
  }

  get title(): string {
    return plain(/<h1>(.*?)<\/h1>/s.exec(this.html)?.[1] ?? '');
  }

  get text(): string {
    return plain(this.html.replace(/<style.*?<\/style>/s, ''));
  }

  /** The error messages of the page, at its top and at its fields. */
  get errors(): string[] {
    const summary = /role="alert">(.*?)<\/div>/s.exec(this.html)?.[1] ?? '';
    return [...summary.matchAll(/<li>(.*?)<\/li>/gs), ...this.html.matchAll(/<p class="wrong"[^>]*>(.*?)<\/p>/gs)].map(
      ([, message]) => plain(message!),
    );
  }

  get buttons(): string[] {
    return [...this.html.matchAll(/<button[^>]*>(.*?)<\/button>/gs)].map(([, label]) => plain(label!));
  }

  /** Returns the value of a field. */
  value(name: string): string | undefined {
    const tag = [...this.html.matchAll(/<input[^>]*>/g)]
      .map(([tag]) => tag)
      .find((tag) => attribute(tag, 'name') === name);
    return tag === undefined ? undefined : (attribute(tag, 'value') ?? '');
  }

  open(url: string): Promise<void> {
    return this.#go('GET', url);
  }

  follow(label: string): Promise<void> {
    const links = [...this.html.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)];
    const found = links.find(([, , text]) => plain(text!).includes(label));
    if (!found) throw new Error(`No link ${label} on ${this.title}`);
    return this.#go('GET', attribute(` ${found[1]}>`, 'href')!);
  }

  /** Fills in the form that has this button, and presses the button. */
  press(label: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    for (const [, tag, body] of this.html.matchAll(/(<form[^>]*>)(.*?)<\/form>/gs)) {
      const button = [...body!.matchAll(/(<button[^>]*>)(.*?)<\/button>/gs)].find(([, , text]) =>
        plain(text!).startsWith(label),
      );
      if (!button) continue;
      const form = new URLSearchParams();
      for (const [input] of body!.matchAll(/<input[^>]*>/g)) {
        const name = attribute(input, 'name');
        if (!name || (attribute(input, 'type') === 'checkbox' && attribute(input, 'checked') === undefined)) continue;
        form.append(name, attribute(input, 'value') ?? '');
      }
      const name = attribute(button[1]!, 'name');
      if (name) form.append(name, attribute(button[1]!, 'value') ?? '');
      for (const [key, value] of Object.entries(fields)) form.set(key, value);
      return this.post(attribute(tag!, 'action')!, form);
    }
    throw new Error(`No button ${label} on ${this.title}: ${this.buttons.join(', ')}`);
  }

  post(url: string, form: URLSearchParams): Promise<void> {
    return this.#go('POST', url, form);
  }

  async #go(method: 'GET' | 'POST', address: string, form?: URLSearchParams): Promise<void> {
    const url = new URL(address, this.url || this.#emulator.url);
    if (url.origin !== new URL(this.#emulator.url).origin) {
      this.left = url;
      return;
    }
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#emulator.fetch(url, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', 'user-agent': 'Test/1.0', ...(cookie ? { cookie } : {}) },
      ...(form ? { body: form } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';', 1)[0]!.split('=', 2);
      this.#cookies.set(name!, value!);
    }
    this.trail.push(`${method} ${url.pathname} ${response.status}`);
    const location = response.headers.get('location');
    if (location !== null) return this.#go('GET', new URL(location, url).href);
    Object.assign(this, {
      status: response.status,
      html: await response.text(),
      headers: response.headers,
      url: url.href,
    });
    this.left = undefined;
  }
}

const redirectUri = 'http://localhost:3000/callback';

/** Starts an emulator with Ada, whose password is `correct horse`, and opens a browser. */
export async function hosted(options: EmulatorOptions = {}) {
  const { emulator, send, grant } = await signingIn(options);
  const user = async (fields: object) =>
    (await send('POST /user_management/users', fields)).body as { readonly id: string };
  const ada = await user({ email: 'ada@example.com', password: 'correct horse', email_verified: true });
  const organization = async (name: string, fields: object = {}, ...memberIds: readonly string[]) => {
    const { body } = await send('POST /organizations', { name, ...fields });
    for (const id of memberIds)
      await send('POST /user_management/organization_memberships', { user_id: id, organization_id: body.id });
    return body.id as string;
  };
  const browser = new Browser(emulator);
  /** Opens an authorization URL. */
  const authorize = (params: Readonly<Record<string, string>> = {}, path = '/user_management/authorize') =>
    browser.open(
      `${emulator.url}${path}?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        state: 'back to work',
        ...(params.connection || params.organization ? {} : { provider: 'hosted-login' }),
        ...params,
      })}`,
    );
  /** Redeems the code that the browser brought to the application. */
  const redeem = () => grant('authorization_code', { code: browser.left?.searchParams.get('code') });
  const codeTo = (address: string): string => emulator.inbox.latest(address)!.code!;
  return { emulator, send, user, ada, organization, browser, authorize, redeem, codeTo };
}

/** Describes where the browser arrived, without the code. */
export const arrival = ({ left, title }: Browser): string => {
  if (!left) return `at the emulator: ${title}`;
  const { origin, pathname, searchParams } = left;
  return `${origin}${pathname} ${searchParams.get('error') ?? (searchParams.get('code') ? 'code' : 'nothing')} ${searchParams.get('state')}`;
};

/** The result of `arrival` with a code. */
export const home = 'http://localhost:3000/callback code back to work';
