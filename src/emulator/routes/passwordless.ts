import { passwordless as api } from '../../service/passwordless.js';
import { redirect } from '../answer.js';
import { html, page } from '../html.js';
import type { Room } from '../router.js';
import {
  createPasswordlessSession,
  issuePasswordlessCode,
  passwordlessSessions,
  sendPasswordlessSession,
  shownSession,
} from '../state/passwordless.js';

export const passwordlessRoom: Room = {
  routes(router) {
    router.on(api.createSession, ({ world, body }) => shownSession(world, createPasswordlessSession(world, body)));

    router.on(api.sendSession, ({ world, params }) => {
      sendPasswordlessSession(world, params.id);
      return { success: true };
    });

    // The link itself, as somebody's browser follows it.
    router.page('GET', '/passwordless/:token/confirm', ({ world, params }) => {
      const session = world.of(passwordlessSessions).by('token', params.token!);
      if (!session) return page(404, 'No such link', html`<p>Check that the link is complete.</p>`);
      const { redirectUri, expiresAt } = session;
      const state = session.state === null ? {} : { state: session.state };
      if (world.isPast(expiresAt)) {
        if (redirectUri === null)
          return page(410, 'This link has expired', html`<p>It worked until ${expiresAt}. Ask for a new one.</p>`);
        const denied = { error: 'access_denied', error_description: 'The magic link has expired.' };
        return redirect(withQuery(redirectUri, { ...denied, ...state }));
      }
      const { code } = issuePasswordlessCode(world, session);
      if (redirectUri !== null) return redirect(withQuery(redirectUri, { code, ...state }));
      return page(
        200,
        'You are signed in',
        html`<p>The link was made without a redirect URI, so it ends here. The code is <code>${code}</code>.</p>`,
      );
    });
  },
};

function withQuery(address: string, params: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}
