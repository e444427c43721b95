import { cookiesOf } from '../session/set-cookie.js';

/** The `Cookie` header that a browser would send once it has taken the cookies of these headers over. */
export function cookiesAfter(header: string, headers: Headers): string {
  const set = cookiesOf(headers);
  const others = header
    .split(/; */)
    .filter((pair) => pair && !set.some(({ name }) => name === pair.split('=')[0]?.trim()));
  const fresh = set.filter(({ attributes }) => attributes.maxAge !== 0).map(({ name, value }) => `${name}=${value}`);
  return [...others, ...fresh].join('; ');
}
