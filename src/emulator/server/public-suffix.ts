import { getPublicSuffix } from 'tldts';

/** Shared tunnels that hand out names to anyone and are not in the list of public suffixes. */
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
 * Whether anyone can have a name under this host: public suffixes such as `co.uk`, private ones such as `github.io`,
 * and shared tunnels. For `redirectUriProblem` and `matchesRedirectUri` of `sallyport`, which know top-level domains only.
 */
export const isPublicSuffix = (host: string): boolean =>
  // Tunnels of some vendors have a region in front: x.euw.devtunnels.ms.
  sharedTunnels.has(host) ||
  /^[^.]+\.devtunnels\.ms$/.test(host) ||
  getPublicSuffix(host, { allowPrivateDomains: true }) === host;
