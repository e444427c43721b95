import { cookiesOf } from '../session/cookie/set-cookie.js';

/** Return the `Cookie` header that the browser will send after it has stored the cookies in these headers. */
export function cookiesAfter(header: string, headers: Headers): string {
  const set = cookiesOf(headers);
  const names = new Set(set.map(({ name }) => name));
  const others = header.split(/; */).filter((pair) => pair && !names.has(pair.split('=', 1)[0]!.trim()));
  const fresh = set.filter(({ attributes }) => attributes.maxAge !== 0).map(({ name, value }) => `${name}=${value}`);
  return [...others, ...fresh].join('; ');
}
