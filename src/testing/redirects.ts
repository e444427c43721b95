import { loopbackFetch } from '../http/loopback-fetch.js';

/** Browsers and `fetch` follow this many redirects. */
export const maxRedirects = 20;

/** Where a response redirects to. Undefined if it does not. */
export function redirectOf(
  { status, headers }: Response,
  { url, method }: { readonly url: string; readonly method: string },
): { readonly url: URL; readonly method: string; readonly keepsBody: boolean } | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) ? headers.get('location') : null;
  if (location === null) return undefined;
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  return { url: new URL(location, url), method: becomesGet ? 'GET' : method, keepsBody: !becomesGet };
}

/** Like `fetch`, but also reaches names below localhost, such as that of a world. Many resolvers do not know them. */
export const fetchBelowLocalhost: typeof fetch = async (input, init) => {
  let request = new Request(input, init);
  const { redirect, signal } = request;
  let body = request.body && (await request.arrayBuffer());
  for (let count = 0; ; count++) {
    const { method, headers } = request;
    const sent = new Request(request.url, { method, headers, body, signal, redirect: 'manual' });
    const isBelowLocalhost = new URL(sent.url).hostname.endsWith('.localhost');
    const response = await (isBelowLocalhost ? loopbackFetch(sent) : fetch(sent));
    const target = redirect === 'manual' ? undefined : redirectOf(response, request);
    if (!target) return response;
    if (redirect === 'error' || count === maxRedirects)
      throw new TypeError('fetch failed', {
        cause: new Error(redirect === 'error' ? 'unexpected redirect' : 'redirect count exceeded'),
      });
    await response.body?.cancel();
    const kept = new Headers(headers);
    if (!target.keepsBody) {
      body = null;
      kept.delete('content-type');
    }
    // Credentials are for the host that they were sent to.
    if (target.url.origin !== new URL(request.url).origin)
      for (const name of ['authorization', 'cookie']) kept.delete(name);
    request = new Request(target.url, { method: target.method, headers: kept });
  }
};
