/** A `Set-Cookie` value in its parts, as Next takes them. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: {
    readonly path?: string;
    readonly domain?: string;
    readonly maxAge: number;
    readonly sameSite?: string;
    readonly secure: boolean;
    readonly httpOnly: boolean;
  };
}

/** The parts of a `Set-Cookie` value of ours. */
export function partsOf(line: string): SetCookie {
  const [[name = '', value = ''] = [], ...others] = line.split('; ').map((part) => part.split(/=(.*)/s));
  const {
    path,
    domain,
    samesite,
    'max-age': maxAge,
    ...flags
  } = Object.fromEntries(others.map(([key = '', text = '']) => [key.toLowerCase(), text]));
  const attributes = {
    ...(path && { path }),
    ...(domain && { domain }),
    ...(samesite && { sameSite: samesite.toLowerCase() }),
    maxAge: Number(maxAge),
    secure: 'secure' in flags,
    httpOnly: 'httponly' in flags,
  };
  return { name, value, attributes };
}

/** The `Cookie` header that a browser would send once it has taken these `Set-Cookie` values over. */
export function cookiesAfter(header: string, lines: readonly string[]): string {
  const set = lines.map(partsOf);
  const others = header
    .split(/; */)
    .filter((pair) => pair && !set.some(({ name }) => name === pair.split('=')[0]?.trim()));
  const fresh = set.filter(({ attributes }) => attributes.maxAge > 0).map(({ name, value }) => `${name}=${value}`);
  return [...others, ...fresh].join('; ');
}
