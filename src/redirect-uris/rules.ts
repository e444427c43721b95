import { parsedUrl } from '../http/parsed-url.js';

/** The rule that a redirect URI breaks; the specification's Authentication section, item 8, unless another source is named. */
export type RedirectUriRule =
  /** It is not an absolute address. */
  | 'not_absolute'
  /** Its scheme is neither `https` nor `http`. */
  | 'scheme_not_allowed'
  /** Production takes `http` from `127.0.0.1` alone, for native clients. */
  | 'https_required'
  /** It names a user or a password. */
  | 'userinfo_not_allowed'
  /** It has a fragment (RFC 6749 section 3.1.2). */
  | 'fragment_not_allowed'
  /** Its host is not written as browsers write it, so that it would never equal what arrives. */
  | 'host_not_canonical'
  /** A wildcard stands in the scheme, the port, the path or the query. */
  | 'wildcard_outside_host'
  /** There is more than one wildcard. */
  | 'wildcard_repeated'
  /** The wildcard follows other labels: `https://sub.*.example.com`. */
  | 'wildcard_after_label'
  /** The wildcard stands next to a top-level domain: `https://*.com`. */
  | 'wildcard_beside_top_level_domain'
  /** Anyone can have a name under this host: `https://*.co.uk`, shared tunnels and hosting. */
  | 'wildcard_on_public_suffix';

/** Why an address cannot be registered as a redirect URI. */
export interface RedirectUriProblem {
  /** The rule that is broken; stable. */
  readonly rule: RedirectUriRule;
  /** What is wrong and what to do instead, continuing a sentence about the address: `must …`. */
  readonly message: string;
}

/** What the rules depend on. */
export interface RedirectUriOptions {
  /** Where the address is registered: `production` (default) asks for HTTPS, `staging` allows HTTP and localhost. */
  readonly environment?: 'production' | 'staging' | undefined;
  /**
   * Whether anyone can register a name under this host. Without it only top-level domains count. The list of public
   * suffixes is large, so it is not in the client: `sallyport/emulator` exports `isPublicSuffix`.
   */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
}

/** A redirect URI as it was written, taken apart without changing it. */
const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/is;

const problem = (rule: RedirectUriRule, message: string): RedirectUriProblem => ({ rule, message });

/**
 * What is wrong with an address that is to be registered as a redirect URI, perhaps with a wildcard; undefined when
 * nothing is. Nothing is sent.
 *
 * @example
 * redirectUriProblem('https://*.acme.test/callback'); // undefined
 * redirectUriProblem('https://*.com/callback')?.rule; // 'wildcard_beside_top_level_domain'
 */
export function redirectUriProblem(uri: string, options: RedirectUriOptions = {}): RedirectUriProblem | undefined {
  const { environment = 'production', isPublicSuffix } = options;
  const [, scheme, authority, rest] = parts.exec(uri) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined) return notAbsolute;
  if (!/^https?$/.test(scheme))
    return problem('scheme_not_allowed', 'must begin with https:// or http://, in small letters');
  if (authority.includes('@')) return problem('userinfo_not_allowed', 'must not name a user or a password');
  if (rest.includes('#')) return problem('fragment_not_allowed', 'must not have a fragment');
  const misplaced = misplacedWildcard(authority, rest);
  if (misplaced) return misplaced;
  const url = parsedUrl(uri);
  // Controls and blanks are dropped by parsers, each its own: what is compared must be what is followed.
  if (!url || /[\s\p{Cc}\\]/u.test(uri) || /^\.|\.\./.test(url.hostname)) return notAbsolute;
  if (url.host !== authority || url.hostname.endsWith('.'))
    return problem(
      'host_not_canonical',
      `must have its host as browsers write it: ${url.host.replace(/\.(?=:|$)/, '')}`,
    );
  if (environment === 'production' && scheme === 'http' && url.hostname !== '127.0.0.1')
    return problem('https_required', 'must begin with https:// in production; http://127.0.0.1 alone may do without');
  return url.hostname.includes('*') ? wildcardProblem(url.hostname, isPublicSuffix) : undefined;
}

const notAbsolute = problem('not_absolute', 'must be an absolute address such as https://app.example.com/callback');

function misplacedWildcard(authority: string, rest: string): RedirectUriProblem | undefined {
  const [host = '', port = ''] = authority.split(':', 2);
  if (port.includes('*') || rest.includes('*'))
    return problem('wildcard_outside_host', 'must have its wildcard in a subdomain and nowhere else');
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
      'must have a domain of yours between the wildcard and the top-level domain',
    );
  const parent = others.join('.');
  // Some lists say of a whole level that each name on it is a suffix; a name that stands for the wildcard finds them.
  if (isPublicSuffix(parent) || isPublicSuffix(`${label.replace('*', 'any')}.${parent}`))
    return problem(
      'wildcard_on_public_suffix',
      `must not have a wildcard under ${parent}, where anyone can have a name`,
    );
  return undefined;
}
