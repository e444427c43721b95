/**
 * Parse `Retry-After` to milliseconds: a number of seconds, or an HTTP date in any of its three formats. Returns undefined for
 * invalid, negative, past and infinite values.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(value)
    ? Math.round(Number(value) * 1_000)
    : // Must look like an HTTP date, because `Date.parse` reads a bare negative number as a year.
      /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(value)
      ? Date.parse(/\d$/.test(value) ? `${value} GMT` : value) - now
      : -1;
  return ms >= 0 && ms < Infinity ? ms : undefined;
}
