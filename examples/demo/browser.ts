/** A browser without a screen: keeps cookies, follows redirects, fills in the form of a page and sends it. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  #address = '';
  #page = '';

  /** Where the last page came from. */
  get address(): string {
    return this.#address;
  }

  /** The last page. */
  get page(): string {
    return this.#page;
  }

  /** The `Cookie` header for an application's address. */
  cookiesFor(address: string): string {
    const { host } = new URL(address);
    return [...this.#cookies]
      .filter(([key]) => key.startsWith(`${host} `))
      .map(([key, value]) => `${key.slice(host.length + 1)}=${value}`)
      .join('; ');
  }

  /** Opens an address and follows where it leads. */
  async open(address: string, init: RequestInit = {}): Promise<void> {
    const response = await fetch(address, {
      ...init,
      // What a browser says when somebody opens a page.
      headers: { ...init.headers, cookie: this.cookiesFor(address), accept: 'text/html' },
      redirect: 'manual',
    });
    this.#keep(address, response.headers.getSetCookie());
    const next = response.headers.get('location');
    if (next !== null) return this.open(new URL(next, address).href);
    this.#address = address;
    this.#page = await response.text();
  }

  /** Fills in the first form of the page and sends it. */
  async submit(fields: Readonly<Record<string, string>>): Promise<void> {
    const [form = ''] = /<form[\s\S]*?<\/form>/.exec(this.#page) ?? [];
    const [, action = this.#address] = /<form[^>]* action="([^"]*)"/.exec(form) ?? [];
    const filled = [...form.matchAll(/<input [^>]*name="([^"]*)"[^>]* value="([^"]*)"/g)];
    const body = new URLSearchParams(filled.map(([, name = '', value = '']) => [name, value]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    await this.open(new URL(action.replaceAll('&amp;', '&'), this.#address).href, { method: 'POST', body });
  }

  #keep(address: string, lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const key = `${new URL(address).host} ${name}`;
      if (/;\s*max-age=0\b/i.test(line)) this.#cookies.delete(key);
      else this.#cookies.set(key, value);
    }
  }
}
