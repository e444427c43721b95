import { html } from 'hono/html';
import type { CurrentSession } from 'sallyport/session';

type Part = ReturnType<typeof html> | '';

const page = (...body: Part[]) =>
  html`<!doctype html>
<html lang="en">
<title>Harbour</title>
<link rel="icon" href="data:,">
<main>${body}</main>
</html>`;

export const home = (session: CurrentSession | null) =>
  page(
    html`<p>Hello ${session?.user.email ?? 'stranger'}</p>`,
    html`<a href="/account">Your account</a>`,
    session ? '' : html` <a href="/sign-in">Sign in</a>`,
  );

export const account = ({ user, organizationId, permissions }: CurrentSession, problem?: string) =>
  page(
    html`<p>${user.email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}</p>`,
    problem ? html`<p>${problem}</p>` : '',
    html`<form method="post" action="/account/switch">
  <label>Organization <input name="organization"></label>
  <button>Switch</button>
</form>
<form method="post" action="/account/refresh"><button>Refresh</button></form>
<form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );
