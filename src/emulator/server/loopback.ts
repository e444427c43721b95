/** Whether a host is this machine, seen from itself only. */
export const isLoopback = (host: string): boolean =>
  /^(?:127(?:\.\d{1,3}){1,3}|\[?::1\]?|(?:.+\.)?localhost)$/i.test(host);
