/**
 * `Retry-After` in milliseconds: a number of seconds or an HTTP date, in any of its three forms. What is neither, negative,
 * past or beyond all numbers is as if absent.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return finite(Math.round(Number(value) * 1_000));
  // Only what looks like an HTTP date: `Date.parse` would make a year of a bare negative number.
  if (!/^[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/.test(value)) return undefined;
  const at = Date.parse(/\d$/.test(value) ? `${value} GMT` : value);
  return at >= now ? at - now : undefined;
}

const finite = (ms: number): number | undefined => (Number.isFinite(ms) ? ms : undefined);
