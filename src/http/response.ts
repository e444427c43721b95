import { ConfigurationError } from '../errors/sallyport-error.js';

/** What a `fetch` gave, if it can be read. @throws {ConfigurationError} It is not a response. */
export function checkedResponse(given: Response): Response {
  const { status, headers, body, text } = Object(given) as Partial<Response>;
  if (typeof status === 'number' && headers?.get && (body?.getReader || text)) return given;
  throw new ConfigurationError('invalid_option', {
    what: `fetch must give a Response, which has status, headers and text(), and gave ${given === null ? given : typeof given}`,
    next: 'Correct the function that stands in for fetch',
  });
}
