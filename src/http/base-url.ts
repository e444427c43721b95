import { type ConfigurationCode, ConfigurationError } from '../errors/sallyport-error.js';
import { parsedUrl } from './parsed-url.js';

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
export function checkedBaseUrl(address: unknown, allowInsecure = false): BaseUrl {
  const refuse = (
    why: string,
    code: ConfigurationCode = 'invalid_base_url',
    next = 'Pass an address such as https://api.example.com',
  ): never => {
    throw new ConfigurationError(code, { what: 'The baseUrl cannot be used', why, next });
  };
  const url = typeof address === 'string' ? parsedUrl(address) : undefined;
  if (!url) return refuse('It must be an absolute address');
  if (!/^https?:$/.test(url.protocol)) return refuse('It must begin with https://, or with http:// for this machine');
  if (url.username || url.password || url.search || url.hash)
    return refuse('It must not hold credentials, a query or a fragment');
  // Of the many ways to write such an address the parser leaves one.
  const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !loopback && !allowInsecure)
    return refuse(
      `It would send keys in plain text to ${url.host}`,
      'insecure_base_url',
      'Use https:, or allowInsecure: true in a network you trust',
    );
  return { baseUrl: url.origin + url.pathname.replace(/\/+$/, ''), host: url.host, loopback };
}
