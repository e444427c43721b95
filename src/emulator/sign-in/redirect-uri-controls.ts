import { part, string } from '../../service/describe/define.js';
import { post } from '../../service/describe/operation.js';
import { control, type Methods } from '../server/control.js';
import { addRedirectUri } from '../server/redirect-uris.js';

const newRedirectUri = part({
  /** URI, optionally with a wildcard: `https://*.acme.test/callback`. */
  uri: string,
});

export const redirectUriControls = {
  /**
   * Register a redirect URI for signing in and out, optionally with a wildcard: `https://*.acme.test/callback`. Once one is
   * registered, all other URIs are refused; until then, a staging emulator allows every address of this machine.
   *
   * @throws {Refusal} 422 `invalid_redirect_uri` with the broken rule in `errors`, 409 if it is already registered.
   */
  addRedirectUri: control(
    post('/_emulator/redirect_uris', { body: newRedirectUri }),
    ({ world }, uri) => {
      addRedirectUri(world, uri);
    },
    { positional: ['uri'] },
  ),
};

/** The redirect URIs, as managed in the dashboard. */
export interface RedirectUriControls extends Methods<typeof redirectUriControls> {}
