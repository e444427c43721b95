import { userManagement as api } from '../../../service/authentication.js';
import { type EmulatorRefusal, oauthError } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';

/** A client's credentials in a grant. */
export interface ClientCredentials {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** The client of a grant. */
export interface Client {
  readonly clientId: string;
  /** Whether the client sent an API key. Otherwise the grant needs another proof, such as PKCE. */
  readonly isConfidential: boolean;
}

/**
 * Authenticate the client of a request. A missing secret is allowed here. Grants that need a secret also call `refusePublic`.
 *
 * @throws {EmulatorRefusal} 400 `invalid_client`, or 403 if the API key may not sign in users.
 */
export function clientOf(
  memory: Memory,
  { clientId, clientSecret }: ClientCredentials,
  path: string = api.authenticateWithCode.path,
): Client {
  if (clientId === undefined) throw invalidClient('The request has no client_id');
  if (clientId !== memory.settings.clientId)
    throw invalidClient(
      `No client has the id ${JSON.stringify(clientId)}. Use the clientId in emulator.credentials, or pass yours to createEmulator`,
    );
  if (clientSecret === undefined) return { clientId, isConfidential: false };
  if (!memory.keys.checkSecret(clientSecret, 'POST', path))
    throw invalidClient(
      'The client_secret must be an API key that the emulator knows. Use the apiKey in emulator.credentials, or pass yours as apiKeys to createEmulator',
    );
  return { clientId, isConfidential: true };
}

/**
 * Refuse a client without a secret. `instead` is the alternative that the message suggests.
 *
 * @throws {EmulatorRefusal} 400 `invalid_client`.
 */
export function refusePublic({ isConfidential }: Client, instead = ''): void {
  if (!isConfidential) throw invalidClient(`The request has no client_secret. Send the API key${instead}`);
}

const invalidClient = (message: string): EmulatorRefusal => oauthError(400, 'invalid_client', message);
