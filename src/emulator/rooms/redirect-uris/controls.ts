import { part, string } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { control } from '../../http/control.js';
import { addRedirectUri } from './records.js';

const newRedirectUri = part({
  /** URI, optionally with a wildcard: `https://*.acme.test/callback`. */
  uri: string,
});

/** Controls for redirect URIs, which are managed in the dashboard. */
export const redirectUriControls = {
  /**
   * Register a redirect URI for signing in and out, optionally with a wildcard: `https://*.acme.test/callback`. Once a URI is
   * registered, all others are refused. Until then, a staging emulator allows every address on this machine.
   *
   * @throws {EmulatorRefusal} 422 `invalid_redirect_uri` with the broken rule in `errors`, 409 if it is already registered.
   */
  addRedirectUri: control(
    post('/_emulator/redirect_uris', { body: newRedirectUri }),
    ({ memory }, uri) => {
      addRedirectUri(memory, uri);
    },
    { positional: ['uri'] },
  ),
};
