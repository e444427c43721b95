import { ConfigurationError } from '../errors/index.js';

/** The error for a call that only an API key can make. @param alternative What would do in place of the key. */
export const missingApiKey = (call: string, alternative = ''): ConfigurationError =>
  new ConfigurationError('missing_api_key', {
    what: `${call} needs an API key${alternative} and the client has none`,
    why: 'The client was made with a client id only',
    next: 'Pass apiKey to new Sallyport({ ... }) or set SALLYPORT_API_KEY, on a server',
  });

/** The client id for a call. @throws {ConfigurationError} There is none. */
export function clientIdFor<Id>(call: string, clientId: Id): NonNullable<Id> {
  if (clientId) return clientId;
  throw new ConfigurationError('missing_client_id', {
    what: `${call} needs a client id and the client has none`,
    next: 'Pass clientId to new Sallyport({ ... }) or set SALLYPORT_CLIENT_ID',
  });
}
