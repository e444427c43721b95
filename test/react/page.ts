import { createElement, type ReactElement, StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { hydrateRoot } from 'react-dom/client';
import { createBrowserClient } from 'sallyport/browser';
import { SessionProvider } from 'sallyport/react';
import { Application } from './application.js';

// What the server that rendered this page has written into it.
const { clientId, baseUrl, session } = document.documentElement.dataset;
/** What a router would do; the test says whether there is one. */
const navigate = (path: string): void => {
  document.title = `At ${path}`;
};
const onSignIn = sessionStorage.getItem('router') ? navigate : undefined;
/** Whether the page requires a session, as the test has set it. */
const needsSession = Boolean(sessionStorage.getItem('needs a session'));
const client = session === undefined && createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' });
/** The page with the session that the server hands over, as JSON; nothing where the page asks for it. */
const page = (json = ''): ReactElement => {
  const provider = client
    ? createElement(SessionProvider, { client, onSignIn }, createElement(Application, { needsSession }))
    : createElement(
        SessionProvider,
        {
          session: json ? JSON.parse(json) : undefined,
          refreshFrom: '/server/session',
          accessTokenFrom: '/server/token',
        },
        createElement(Application, { signIn: '/server/sign-in', signOut: '/server/sign-out' }),
      );
  return createElement(StrictMode, null, provider);
};
const root = hydrateRoot(document.getElementById('root')!, page(session));
// What a framework does when the server has rendered the page again.
Object.assign(window, { handOver: (json: string) => flushSync(() => root.render(page(json))) });
