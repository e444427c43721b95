/** Of Node's response, what is used here. */
export interface HeadWriter {
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
  /** Node's, which is called for every answer, also where nobody does so by hand. */
  writeHead?: (...parts: never[]) => unknown;
}

/**
 * Whether a `Cache-Control` keeps the whole answer out of shared caches. One that kept the session's cookie would sign
 * strangers in as each other.
 */
export const isPrivate = (caching: string): boolean => /(private|no-store)(?!=)/i.test(caching);

/**
 * Sets our `Cache-Control` on an answer with cookies unless its own is private: when its head is written, for until then the
 * handler may say more about caches.
 */
export function keepPrivate(response: HeadWriter, ours: string): void {
  const { writeHead } = response;
  if (!writeHead) return;
  response.writeHead = (...parts) => {
    const last: unknown = parts.at(-1);
    const fields = typeof last === 'object' && last !== null && !Array.isArray(last) ? last : {};
    const nameOf = (name: string) => Object.keys(fields).find((one) => one.toLowerCase() === name);
    const name = nameOf('cache-control');
    const handlers = name === undefined ? response.getHeader('cache-control') : Reflect.get(fields, name);
    // The handler may have taken the cookies back.
    const hasCookies = nameOf('set-cookie') !== undefined || response.getHeader('set-cookie') !== undefined;
    if (hasCookies && !isPrivate(`${handlers}`)) {
      if (name === undefined) response.setHeader('cache-control', ours);
      else Reflect.set(fields, name, ours);
    }
    return writeHead.apply(response, parts);
  };
}
