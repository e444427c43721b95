import { passwordless as api } from '../../../service/passwordless.js';
import { redirect } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html, page } from '../../http/html.js';
import type { RoomPart } from '../../http/router.js';
import { withQuery } from '../../http/with-query.js';
import { defaultRedirectUri } from '../../rooms/redirect-uris/records.js';
import { sessions } from '../sessions/sessions.js';
import { authorizations, errorRedirect } from './authorizations.js';
import { hostedSessions } from './browser-sessions.js';
import {
  createPasswordlessSession,
  issuePasswordlessCode,
  passwordlessSessions,
  passwordlessSessionView,
  sendPasswordlessSession,
} from './passwordless.js';
import { dropProgressOf } from './progress.js';

/** The magic links, and what ends with an authorization or a revoked session. */
export const authorizationRoutes: RoomPart = {
  routes(router) {
    router.on(api.createSession, ({ memory, body }) =>
      passwordlessSessionView(memory, createPasswordlessSession(memory, body)),
    );

    router.on(api.sendSession, ({ memory, params }) => {
      sendPasswordlessSession(memory, params.id);
      return { success: true };
    });

    // The magic link itself, opened in the user's browser.
    router.page('GET', '/passwordless/:token/confirm', ({ memory, params }) => {
      const session = memory.of(passwordlessSessions).by('token', params.token!);
      if (!session) return errorPage(404, 'No such link', 'Check that the link is complete.');
      const { state, expiresAt } = session;
      const redirectUri = session.redirectUri ?? defaultRedirectUri(memory);
      if (memory.isPast(expiresAt))
        return redirectUri === undefined
          ? errorPage(410, 'This link has expired', `It worked until ${expiresAt}. Ask for a new one.`)
          : errorRedirect(redirectUri, 'access_denied', 'The magic link has expired.', state);
      const code = issuePasswordlessCode(memory, session);
      if (redirectUri !== undefined)
        return redirect(withQuery(redirectUri, { code, state })).with({ 'cache-control': 'no-store' });
      return page(
        200,
        'You are signed in',
        html`<p>This link has no redirect URI and none is registered, so you stay here. The code is <code>${code}</code>.</p>`,
      );
    });
  },

  start(memory) {
    memory.onDelete(authorizations, ({ id }, memory) => dropProgressOf(memory, id));
    // Revoking a session also ends its browser session, which must stay ended after the session is deleted.
    memory.onDelete(sessions, ({ status, codeId }, memory) => {
      if (status === 'revoked' && codeId !== null) memory.deleteWhere(hostedSessions, 'codeIds', codeId);
    });
  },
};
