/** What keeps an answer out of shared caches. One that kept the session's cookie would sign strangers in as each other. */
export const privateOnly = 'private, no-store';

/** Whether a `Cache-Control` does. Beside `must-understand`, caches may pass over `no-store`. */
export const isPrivate = (caching: string): boolean =>
  /(?:^|,)\s*(?:private|no-store)\s*(?:,|$)/i.test(caching) && !/must-understand/i.test(caching);

/** Whether a field by this name tells some shared caches something else than `Cache-Control` does (RFC 9213). */
export const isForSharedCaches = (name: string): boolean =>
  /(?:-cache|^surrogate|^edge)-control$|^x-accel-expires$/i.test(name);
