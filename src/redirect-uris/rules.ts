import { parsedUrl } from '../http/parsed-url.js';

/** The rule that a redirect URI breaks. From the specification, section Authentication, item 8, unless another source is named. */
export type RedirectUriRule =
  /** It is not an absolute URL. */
  | 'not_absolute'
  /** Its scheme is neither `https` nor `http`, nor, in dialect `workos`, that of a native application. */
  | 'scheme_not_allowed'
  /** Production allows `http` only for `127.0.0.1`, for native clients. */
  | 'https_required'
  /** It contains a user name or password. */
  | 'userinfo_not_allowed'
  /** It has a fragment (RFC 6749 section 3.1.2). */
  | 'fragment_not_allowed'
  /** Its host is not in the form that browsers send, so it would never match. */
  | 'host_not_canonical'
  /** It has a wildcard in the scheme, port, path or query. */
  | 'wildcard_outside_host'
  /** It has more than one wildcard. */
  | 'wildcard_repeated'
  /** The wildcard follows other labels: `https://sub.*.example.com`. */
  | 'wildcard_after_label'
  /** The wildcard is directly under a top-level domain: `https://*.com`. */
  | 'wildcard_beside_top_level_domain'
  /** Anyone can register a name under this host: `https://*.co.uk`, shared tunnels and hosting. */
  | 'wildcard_on_public_suffix';

/** Why a URL cannot be registered as a redirect URI. */
export interface RedirectUriProblem {
  /** Stable code of the broken rule. */
  readonly rule: RedirectUriRule;
  /** The requirement, which follows the URL in a sentence: `must …`. */
  readonly message: string;
}

/** Options of the redirect URI rules. */
export interface RedirectUriOptions {
  /** Where the URL is registered: `production` (default) requires HTTPS, `staging` allows HTTP and localhost. */
  readonly environment?: 'production' | 'staging' | undefined;
  /**
   * Whether anyone can register a name under a host. By default only under top-level domains. The list of public suffixes is
   * large, so it is not in the client: `sallyport/emulator` exports `isPublicSuffix`.
   */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /**
   * Dialect of the service. `workos` also allows the schemes of native applications, such as `com.example.app:/callback` (RFC 8252 section
   * 7.1). These have no wildcards. Default: `spec`.
   */
  readonly dialect?: 'spec' | 'workos' | undefined;
}

/** Schemes that a browser opens itself: they run code, or show data of another page or of the disk. */
const browserSchemes: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'vbscript',
  'blob',
  'file',
  'about',
  'filesystem',
]);

/** Whether a URI has a scheme of the web. Others belong to native applications. */
export const isWebUri = (uri: string): boolean => /^https?:/i.test(uri);

/** Splits a redirect URI without normalizing it. */
const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/is;

const problem = (rule: RedirectUriRule, message: string): RedirectUriProblem => ({ rule, message });

/**
 * Check a URL, with or without a wildcard, before you register it as a redirect URI. Returns its problem, or undefined. Sends
 * nothing.
 *
 * @example
 * redirectUriProblem('https://*.acme.test/callback'); // undefined
 * redirectUriProblem('https://*.com/callback')?.rule; // 'wildcard_beside_top_level_domain'
 */
export function redirectUriProblem(uri: string, options: RedirectUriOptions = {}): RedirectUriProblem | undefined {
  const { environment = 'production', isPublicSuffix, dialect } = options;
  if (dialect === 'workos' && !isWebUri(uri)) return nativeProblem(uri);
  const [, scheme, authority, rest] = parts.exec(uri) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined) return notAbsolute;
  if (!/^https?$/.test(scheme))
    return problem('scheme_not_allowed', 'must begin with https:// or http://, in lower case');
  if (authority.includes('@')) return problem('userinfo_not_allowed', 'must not contain a user name or password');
  if (rest.includes('#')) return problem('fragment_not_allowed', 'must not have a fragment');
  const misplaced = misplacedWildcard(authority, rest);
  if (misplaced) return misplaced;
  const url = parsedUrl(uri);
  // Parsers drop different control characters and spaces, so the browser could follow another URL than the one compared.
  if (!url || /[\s\p{Cc}\\]/u.test(uri) || /^\.|\.\./.test(url.hostname)) return notAbsolute;
  if (url.host !== authority || url.hostname.endsWith('.'))
    return problem(
      'host_not_canonical',
      `must have its host in the form that browsers send: ${url.host.replace(/\.(?=:|$)/, '')}`,
    );
  if (environment === 'production' && scheme === 'http' && url.hostname !== '127.0.0.1')
    return problem('https_required', 'must begin with https:// in production, except http://127.0.0.1');
  return url.hostname.includes('*') ? wildcardProblem(url.hostname, isPublicSuffix) : undefined;
}

const notAbsolute = problem('not_absolute', 'must be an absolute URL such as https://app.example.com/callback');

/** Check a redirect URI with the scheme of a native application. */
function nativeProblem(uri: string): RedirectUriProblem | undefined {
  const [, scheme, slash, authority = ''] = /^([a-z][a-z0-9+.-]*):(\/(?:\/([^/?#]*))?)?/i.exec(uri) ?? [];
  if (scheme === undefined || /[\s\p{Cc}\\]/u.test(uri)) return notAbsolute;
  if (browserSchemes.has(scheme.toLowerCase()))
    return problem('scheme_not_allowed', `must not have the scheme ${scheme}, which browsers open themselves`);
  // Without the slash it is a host with a port, such as localhost:3000/callback.
  if (slash === undefined || !parsedUrl(uri)) return notAbsolute;
  if (scheme !== scheme.toLowerCase()) return problem('scheme_not_allowed', 'must have its scheme in lower case');
  if (authority.includes('@')) return problem('userinfo_not_allowed', 'must not contain a user name or password');
  if (uri.includes('#')) return problem('fragment_not_allowed', 'must not have a fragment');
  if (uri.includes('*'))
    return problem('wildcard_outside_host', 'must not have a wildcard with the scheme of a native application');
  return undefined;
}

function misplacedWildcard(authority: string, rest: string): RedirectUriProblem | undefined {
  const [host = '', port = ''] = authority.split(':', 2);
  if (port.includes('*') || rest.includes('*'))
    return problem('wildcard_outside_host', 'must have its wildcard only in a subdomain');
  if (host.split('*').length > 2) return problem('wildcard_repeated', 'must not have more than one wildcard');
  return undefined;
}

function wildcardProblem(
  hostname: string,
  isPublicSuffix: (host: string) => boolean = () => false,
): RedirectUriProblem | undefined {
  const [label = '', ...others] = hostname.split('.');
  if (!label.includes('*'))
    return problem('wildcard_after_label', 'must have its wildcard in the first label of the host');
  if (others.length < 2)
    return problem(
      'wildcard_beside_top_level_domain',
      'must have your domain between the wildcard and the top-level domain',
    );
  const parent = others.join('.');
  // Some suffix lists contain every name under a domain. Replacing the wildcard with any name detects them.
  if (isPublicSuffix(parent) || isPublicSuffix(`${label.replace('*', 'any')}.${parent}`))
    return problem(
      'wildcard_on_public_suffix',
      `must not have a wildcard under ${parent}, where anyone can register a name`,
    );
  return undefined;
}
