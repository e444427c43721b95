import { oauthError, type Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';

/** What a client says about itself in a grant. */
export interface ClientCredentials {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** Who a grant is for, once it has proven itself. */
export interface Client {
  readonly clientId: string;
  /** Whether it has shown an API key; if not, something else has to prove it. */
  readonly isConfidential: boolean;
}

/** The grants are all at one address. */
const authenticate = '/user_management/authenticate';

/**
 * The client that asks, by what it shows. A secret may be missing here; whether something takes its place is the grant's
 * business, see `refusePublic`.
 *
 * @throws {Refusal} 400 `invalid_client`, or 403 when the API key may not sign users in.
 */
export function clientOf(world: World, { clientId, clientSecret }: ClientCredentials, path = authenticate): Client {
  if (clientId === undefined) throw invalidClient('The request has no client_id');
  if (clientId !== world.settings.clientId)
    throw invalidClient(
      `There is no client ${JSON.stringify(clientId)}. Use the clientId in emulator.credentials, or pass yours to createEmulator`,
    );
  if (clientSecret === undefined) return { clientId, isConfidential: false };
  if (!world.keys.checkSecret(clientSecret, 'POST', path))
    throw invalidClient(
      'The client_secret must be an API key that the emulator knows. Use the apiKey in emulator.credentials, or pass yours as apiKeys to createEmulator',
    );
  return { clientId, isConfidential: true };
}

/** Refuse a client that has shown no secret. @throws {Refusal} 400 `invalid_client`. */
export function refusePublic({ isConfidential }: Client, instead = ''): void {
  if (!isConfidential) throw invalidClient(`The request has no client_secret. Send the API key${instead}`);
}

const invalidClient = (message: string): Refusal => oauthError(400, 'invalid_client', message);
