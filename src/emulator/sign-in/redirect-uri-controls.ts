import { addRedirectUri } from '../server/redirect-uris.js';
import type { World } from '../world/world.js';

/** What somebody does in the dashboard's list of redirect URIs. */
export interface RedirectUriControls {
  /**
   * Registers where users may be sent after signing in or out, perhaps with a wildcard: `https://*.acme.test/callback`.
   * From the first one on, all others are refused; before, an emulator in staging allows every address of this machine.
   *
   * @throws {Refusal} 422 `invalid_redirect_uri` with the broken rule in `errors`, 409 for one that is registered.
   */
  addRedirectUri(uri: string): Promise<void>;
}

export const redirectUriControls = (world: () => World): RedirectUriControls => ({
  async addRedirectUri(uri) {
    addRedirectUri(world(), uri);
  },
});
