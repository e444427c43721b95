/** The cookies of a browser: keeps what `Set-Cookie` says, one after the other, and sends it back. */
export class Jar {
  readonly #cookies = new Map<string, string>();

  /** Takes over the cookies of an answer. */
  keep(headers: Headers | readonly string[]): void {
    for (const line of headers instanceof Headers ? headers.getSetCookie() : headers) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0\b/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  /** The `Cookie` header. */
  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The headers of a request by this browser. */
  get headers(): { readonly cookie?: string } {
    return this.#cookies.size > 0 ? { cookie: this.header } : {};
  }

  /** A request by this browser. */
  get request(): { readonly headers: { readonly cookie?: string } } {
    return { headers: this.headers };
  }

  get names(): string[] {
    return [...this.#cookies.keys()];
  }

  /** Another browser with the same cookies. */
  copy(): Jar {
    const jar = new Jar();
    for (const [name, value] of this.#cookies) jar.#cookies.set(name, value);
    return jar;
  }
}
