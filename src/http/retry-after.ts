/**
 * `Retry-After` in milliseconds: a number of seconds or an HTTP date, in any of its three forms. What is neither, negative,
 * past or beyond all numbers is as if absent.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(value)
    ? Math.round(Number(value) * 1_000)
    : // Only what looks like an HTTP date: `Date.parse` would make a year of a bare negative number.
      /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(value)
      ? Date.parse(/\d$/.test(value) ? `${value} GMT` : value) - now
      : -1;
  return ms >= 0 && ms < Infinity ? ms : undefined;
}
