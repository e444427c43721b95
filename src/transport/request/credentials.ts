import { ConfigurationError } from '../../errors/index.js';

/** Create the error for a call that needs an API key. @param alternative Names an alternative to the key. */
export const missingApiKey = (call: string, alternative = ''): ConfigurationError =>
  new ConfigurationError('missing_api_key', {
    what: `${call} needs an API key${alternative} and the client has none`,
    next: 'Pass apiKey to new Sallyport({ ... }) or set SALLYPORT_API_KEY, on a server',
  });

/** Return the client id for a call. @throws {ConfigurationError} The client has none. */
export function clientIdFor<Id>(call: string, clientId: Id): NonNullable<Id> {
  if (clientId) return clientId;
  throw new ConfigurationError('missing_client_id', {
    what: `${call} needs a client id and the client has none`,
    next: 'Pass clientId to new Sallyport({ ... }) or set SALLYPORT_CLIENT_ID',
  });
}
