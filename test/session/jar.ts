/** A cookie and its path. */
interface Cookie {
  readonly value: string;
  readonly path: string | undefined;
}

/** The cookies of a browser: stores what `Set-Cookie` says, in order, and sends it back. */
export class Jar {
  readonly #cookies = new Map<string, Cookie>();

  /** Store the cookies of a response. */
  keep(headers: Headers | readonly string[]): void {
    for (const line of headers instanceof Headers ? headers.getSetCookie() : headers) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /;\s*path=([^;]*)/i.exec(line)?.[1];
      const earlier = this.#cookies.get(name)?.path;
      if (!/;\s*max-age=0\b/i.test(line)) this.#cookies.set(name, { value, path });
      // A browser keeps the cookies of another path.
      else if (path === undefined || earlier === undefined || path === earlier) this.#cookies.delete(name);
    }
  }

  /** The `Cookie` header, with the cookies of all paths. */
  get header(): string {
    return [...this.#cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  /** The `Cookie` header of a request to a path, with the cookies that browsers choose for it. */
  headerFor(target: string): string {
    const [pathname = ''] = target.split('?');
    return [...this.#cookies]
      .filter(([, { path = '/' }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
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

  /** The names of the cookies of pending sign-ins. */
  get flows(): string[] {
    return this.names.filter((name) => /-flow-[\w-]{16}$/.test(name));
  }

  /** Store all cookies of another jar. */
  adopt(other: Jar): void {
    for (const [name, cookie] of other.#cookies) this.#cookies.set(name, cookie);
  }

  /** Another browser with the same cookies. */
  copy(): Jar {
    const jar = new Jar();
    for (const [name, cookie] of this.#cookies) jar.#cookies.set(name, cookie);
    return jar;
  }
}
