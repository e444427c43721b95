/** Whether a host is a loopback address or below `localhost`, which only this machine can reach. */
export const isLoopback = (host: string): boolean =>
  /^(?:127(?:\.\d{1,3}){1,3}|\[?::1\]?|(?:.+\.)?localhost)$/i.test(host);
