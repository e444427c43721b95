import { createElement, StrictMode } from 'react';
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
const provider =
  session === undefined
    ? createElement(
        SessionProvider,
        { client: createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' }), onSignIn },
        createElement(Application),
      )
    : createElement(
        SessionProvider,
        { session: session ? JSON.parse(session) : undefined, refreshFrom: '/server/session' },
        createElement(Application, { signIn: '/server/sign-in', signOut: '/server/sign-out' }),
      );
hydrateRoot(document.getElementById('root')!, createElement(StrictMode, null, provider));
