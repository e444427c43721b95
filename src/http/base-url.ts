import { type ConfigurationCode, ConfigurationError } from '../errors/sallyport-error.js';
import { parsedUrl } from './parsed-url.js';

/** A validated URL of the service. */
export interface BaseUrl {
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly host: string;
  /** Whether it points to this machine. */
  readonly loopback: boolean;
}

/**
 * Validate the URL of the service. It must be absolute, without credentials, query or fragment, and `https:` unless it points to
 * this machine or `allowInsecure` is true.
 *
 * @throws {ConfigurationError} `invalid_base_url` or `insecure_base_url`.
 */
export function checkedBaseUrl(address: unknown, allowInsecure = false): BaseUrl {
  const reject = (
    why: string,
    code: ConfigurationCode = 'invalid_base_url',
    next = 'Pass a URL such as https://api.example.com',
  ): never => {
    throw new ConfigurationError(code, { what: 'The baseUrl is invalid', why, next });
  };
  const url = typeof address === 'string' ? parsedUrl(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return reject('It must begin with https://, or with http:// for this machine');
  if (url.username || url.password || url.search || url.hash)
    return reject('It must not contain credentials, a query or a fragment');
  // The URL parser has normalized all spellings of a loopback address.
  const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !loopback && !allowInsecure)
    return reject(
      `It would send keys in plain text to ${url.host}`,
      'insecure_base_url',
      'Use https:, or pass allowInsecure: true on a network you trust',
    );
  return { baseUrl: url.origin + url.pathname.replace(/(?<!\/)\/+$/, ''), host: url.host, loopback };
}
