import { getPublicSuffix } from 'tldts';

/** Tunnel services that give subdomains to anyone and are missing from the public suffix list. */
const sharedTunnels: ReadonlySet<string> = new Set([
  'app.github.dev',
  'devtunnels.ms',
  'lhr.life',
  'loca.lt',
  'localtunnel.me',
  'pagekite.me',
  'serveo.net',
  'share.zrok.io',
]);

/**
 * Whether anyone can register a name below this host: public suffixes such as `co.uk`, private ones such as `github.io`, and tunnel
 * services. For `redirectUriProblem` and `matchesRedirectUri` of `sallyport`, which know only top-level domains themselves.
 */
export const isPublicSuffix = (host: string): boolean =>
  // Some tunnel services add a region: x.euw.devtunnels.ms.
  sharedTunnels.has(host) ||
  /^[^.]+\.devtunnels\.ms$/.test(host) ||
  getPublicSuffix(host, { allowPrivateDomains: true }) === host;
