import { createElement, type ReactElement, StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { hydrateRoot } from 'react-dom/client';
import { createBrowserClient } from 'sallyport/browser';
import { SessionProvider } from 'sallyport/react';
import { Application } from './application.js';

// Data that the server has written into this page.
const { clientId, baseUrl, session } = document.documentElement.dataset;
/** A router. The test decides whether there is one. */
const navigate = (path: string): void => {
  document.title = `At ${path}`;
};
const onSignIn = sessionStorage.getItem('router') ? navigate : undefined;
/** Whether the page requires a session, which the test decides. */
const needsSession = Boolean(sessionStorage.getItem('needs a session'));
const client = session === undefined && createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' });
/** The page with the session of the server as JSON, or undefined if the page requests it. */
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
// The step of a framework after the server has rendered the page again.
Object.assign(window, { handOver: (json: string) => flushSync(() => root.render(page(json))) });
