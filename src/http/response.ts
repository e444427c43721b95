import { ConfigurationError } from '../errors/sallyport-error.js';

/** Check that a `fetch` returned a response. @throws {ConfigurationError} It did not. */
export function checkedResponse(value: Response): Response {
  const { status, headers, body, text } = Object(value) as Partial<Response>;
  if (typeof status === 'number' && headers?.get && (body?.getReader || text)) return value;
  throw new ConfigurationError('invalid_option', {
    what: `fetch must return a Response with status, headers and text(), but returned ${value === null ? value : typeof value}`,
    next: 'Correct your custom fetch function',
  });
}
