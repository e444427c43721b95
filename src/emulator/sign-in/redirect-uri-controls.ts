import { part, string } from '../../service/describe/define.js';
import { post } from '../../service/describe/operation.js';
import { control, type Methods } from '../server/control.js';
import { addRedirectUri } from '../server/redirect-uris.js';

const newRedirectUri = part({
  /** The address, perhaps with a wildcard: `https://*.acme.test/callback`. */
  uri: string,
});

export const redirectUriControls = {
  /**
   * Register where users may be sent after signing in or out, perhaps with a wildcard: `https://*.acme.test/callback`.
   * From the first one on, all others are refused; before, an emulator in staging allows every address of this machine.
   *
   * @throws {Refusal} 422 `invalid_redirect_uri` with the broken rule in `errors`, 409 for one that is registered.
   */
  addRedirectUri: control(
    post('/_emulator/redirect_uris', { body: newRedirectUri }),
    ({ world }, uri) => {
      addRedirectUri(world, uri);
    },
    { spread: ['uri'] },
  ),
};

/** What somebody does in the dashboard's list of redirect URIs. */
export interface RedirectUriControls extends Methods<typeof redirectUriControls> {}
