import { createElement, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { createBrowserClient } from 'sallyport/browser';
import { SessionProvider } from 'sallyport/react';
import { Application } from './application.js';

// What the server that rendered this page has written into it.
const { clientId, baseUrl, session } = document.documentElement.dataset;
const provider =
  session === undefined
    ? createElement(
        SessionProvider,
        { client: createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' }) },
        createElement(Application),
      )
    : createElement(
        SessionProvider,
        { session: JSON.parse(session), refreshFrom: '/server/session' },
        createElement(Application, { signIn: '/server/sign-in', signOut: '/server/sign-out' }),
      );
hydrateRoot(document.getElementById('root')!, createElement(StrictMode, null, provider));
