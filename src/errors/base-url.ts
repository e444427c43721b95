import { ConfigurationError } from './sallyport-error.js';

/** An address of the service that was checked. */
export interface BaseUrl {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly host: string;
  /** Whether it is this machine. */
  readonly loopback: boolean;
}

/**
 * The address of the service, checked: absolute, without credentials, query and fragment, and `https:` unless it is on this
 * machine or `allowInsecure` says otherwise.
 *
 * @throws {ConfigurationError} `invalid_base_url` or `insecure_base_url`.
 */
export function checkedBaseUrl(given: unknown, allowInsecure = false): BaseUrl {
  const invalid = (why: string): never => {
    throw new ConfigurationError('invalid_base_url', {
      what: 'The baseUrl cannot be used',
      why,
      next: 'Pass an address such as https://api.example.com',
    });
  };
  if (typeof given !== 'string' || !URL.canParse(given)) return invalid('it is no absolute address');
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol)) return invalid(`its protocol is ${url.protocol}`);
  if (url.username || url.password || url.search || url.hash)
    return invalid('it holds credentials, a query or a fragment');
  // Of the many ways to write such an address the parser leaves one.
  const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !loopback && !allowInsecure)
    throw new ConfigurationError('insecure_base_url', {
      what: `The baseUrl sends keys in plain text to ${url.host}`,
      why: 'plain http: is accepted for this machine only',
      next: 'Use https:, or pass allowInsecure: true in a network you trust',
    });
  return { baseUrl: url.origin + url.pathname.replace(/\/+$/, ''), host: url.host, loopback };
}
