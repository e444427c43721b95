/** A cookie in the form that `cookies.set` of SvelteKit, Astro and Next accepts. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: {
    readonly path: string;
    readonly domain?: string;
    /** Seconds; 0 clears the cookie. Without it, the cookie ends with the browser. */
    readonly maxAge?: number;
    readonly sameSite?: 'lax' | 'strict' | 'none';
    readonly secure: boolean;
    readonly httpOnly: boolean;
    readonly partitioned?: true;
  };
}

/**
 * Parse the cookies in the `headers` of a result, for frameworks that set them one by one.
 *
 * @example
 * for (const { name, value, attributes } of cookiesOf(result.headers)) cookies.set(name, value, attributes);
 */
export const cookiesOf = (headers: Headers): SetCookie[] => headers.getSetCookie().map(parseSetCookie);

function parseSetCookie(line: string): SetCookie {
  const [[name = '', value = ''] = [], ...others] = line.split('; ').map((part) => part.split(/=(.*)/s));
  const {
    path = '/',
    domain,
    samesite,
    'max-age': maxAge,
    ...flags
  } = Object.fromEntries(others.map(([key = '', text = '']) => [key.toLowerCase(), text]));
  const attributes = {
    path,
    ...(domain && { domain }),
    ...(maxAge && { maxAge: Number(maxAge) }),
    // Browsers accept only these three values.
    ...(samesite && { sameSite: samesite.toLowerCase() as 'lax' | 'strict' | 'none' }),
    secure: 'secure' in flags,
    httpOnly: 'httponly' in flags,
    ...('partitioned' in flags && { partitioned: true as const }),
  };
  return { name, value, attributes };
}
