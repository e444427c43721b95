import { userManagement as api } from '../../service/authentication.js';
import { type Answer, redirect } from '../http/answer.js';
import { errorPage } from '../http/error-page.js';
import type { RoomPart } from '../http/router.js';
import { allowsRedirectUri } from '../rooms/redirect-uris/records.js';
import { forgetBrowser } from '../sign-in/authorizations/browser-sessions.js';
import { revokeSession, sessions } from '../sign-in/sessions/sessions.js';
import type { Memory } from '../world/memory.js';
import { signedOutPage } from './pages/signed-out-page.js';
import { unregisteredPage } from './pages/unregistered-page.js';

export const logoutRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.logout,
      ({ memory, raw: { query }, request }) => {
        const id = query.get('session_id');
        if (!id) return errorPage(400, 'This link is incomplete', 'The session to end is missing: session_id.');
        // An unknown or ended session is not an error, because the user is signed out either way.
        const session = memory.of(sessions).find(id);
        const forget = session ? forgetBrowser(memory, request, session) : {};
        if (session) revokeSession(memory, id);
        return afterLogout(memory, query.get('return_to') || null).with({ 'cache-control': 'no-store', ...forget });
      },
      { unchecked: true },
    );
  },
};

function afterLogout(memory: Memory, returnTo: string | null): Answer {
  if (returnTo === null) return signedOutPage(memory);
  if (allowsRedirectUri(memory, returnTo)) return redirect(returnTo);
  return unregisteredPage(
    memory,
    200,
    'You have signed out',
    'The return address (return_to) is not registered, so you stay here. The developers of the application can register it as a redirect URI.',
  );
}
