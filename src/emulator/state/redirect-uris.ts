import { conflict, unprocessableField } from '../errors.js';
import { collection, type World } from '../world.js';

/** An address to which users may be sent after they have signed in. */
export interface RedirectUriRecord {
  readonly id: string;
  readonly uri: string;
}

/** Where users may be sent after they have signed in; the first one is the default. */
export const redirectUris = collection<RedirectUriRecord>({
  object: 'redirect URI',
  prefix: 'redirect_uri',
  unique: ['uri'],
});

/** Allows users to be sent to an address. @throws {Refusal} 422 for what is no address, 409 for one that is known. */
export function addRedirectUri(world: World, uri: string): RedirectUriRecord {
  // `localhost:3000/callback` parses too, as an address of the scheme `localhost`.
  if (!URL.canParse(uri) || !/^[a-z][a-z0-9+.-]*:\//i.test(uri) || uri.includes('#'))
    throw unprocessableField('', 'invalid_redirect_uri', 'must be an absolute address without a fragment');
  if (world.of(redirectUris).by('uri', uri))
    throw conflict('redirect_uri_already_exists', `There already is a redirect URI ${uri}`);
  return world.of(redirectUris).insert({ uri });
}
