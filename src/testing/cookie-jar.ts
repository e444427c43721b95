interface Cookie {
  readonly name: string;
  readonly value: string;
  /** The host, or with `includesSubdomains` the domain, that gets the cookie. */
  readonly host: string;
  readonly includesSubdomains: boolean;
  readonly path: string;
  /** Milliseconds since 1970. A cookie without an end has `Infinity`. */
  readonly expiresAtMs: number;
}

/** The cookies of a browser. Like a browser's, they do not depend on the port. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  /** Get the value of the `Cookie` header for a URL. Empty without cookies. */
  headerFor({ hostname, pathname }: URL): string {
    return [...this.#cookies.values()]
      .filter(({ path, expiresAtMs }) => expiresAtMs > Date.now() && isBelow(pathname, path))
      .filter(
        ({ host, includesSubdomains }) => host === hostname || (includesSubdomains && hostname.endsWith(`.${host}`)),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /** Store the cookies of a response. */
  store(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const cookie = parse(url, line);
      // A site can only set cookies for its own domain.
      if (cookie.host !== url.hostname && !url.hostname.endsWith(`.${cookie.host}`)) continue;
      const key = [cookie.name, cookie.host, cookie.path].join(';');
      // The cookie that was set last comes last in the header.
      this.#cookies.delete(key);
      if (cookie.expiresAtMs > Date.now()) this.#cookies.set(key, cookie);
    }
  }
}

const isBelow = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);

function parse({ hostname, pathname }: URL, line: string): Cookie {
  const [[name = '', value = ''] = [], ...attributes] = line
    .split(';')
    .map((part) => part.split(/=(.*)/s, 2).map((text) => text.trim()));
  const {
    domain,
    path,
    expires,
    'max-age': maxAge,
  } = Object.fromEntries(attributes.map(([key = '', text = '']) => [key.toLowerCase(), text]));
  return {
    name,
    value,
    host: domain?.replace(/^\./, '').toLowerCase() || hostname,
    includesSubdomains: Boolean(domain),
    path: path?.startsWith('/') ? path : pathname.slice(0, pathname.lastIndexOf('/')) || '/',
    expiresAtMs: maxAge ? Date.now() + Number(maxAge) * 1_000 : expires ? Date.parse(expires) : Infinity,
  };
}
