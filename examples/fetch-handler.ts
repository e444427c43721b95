// Sessions in Workers, Deno, Bun and every framework whose handlers take a Request and return a Response.
//
//   npx tsx examples/fetch-handler.ts
//
// docs/frameworks/fetch.md covers such handlers. There, options of `withSession` protect paths and handle sign-in, callback and
// sign-out. This example does that by hand.

import { createEmulator } from 'sallyport/emulator';
import { createSessions, respond, withSession } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';
import { visit } from './session/visit.js';

const emulator = await createEmulator({ dialect: 'workos', autoApprove: true });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: 'http://localhost:3000/callback',
});

const worker = {
  fetch: withSession(sessions, async (request, auth) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/callback') return respond(await sessions.finishSignIn(request));
    // Only POST: a link or an image on another site must not sign users out.
    if (pathname === '/sign-out' && request.method === 'POST')
      return respond(await sessions.signOut(request, { returnTo: 'http://localhost:3000/' }));
    switch (auth.status) {
      case 'active':
      case 'refreshed':
        return new Response(`${pathname} of ${auth.session.user.email}`);
      case 'retry_later':
        return new Response('One moment, please', { status: 503 });
      case 'signed_out':
        return pathname === '/'
          ? new Response('Hello stranger')
          : respond(await sessions.startSignIn(request, { returnTo: pathname + search }));
    }
  }),
};

const ada = new TestBrowser({
  loginHint: 'ada@acme.test',
  sites: {
    'http://localhost:3000': worker.fetch,
    [emulator.url]: emulator.fetch,
  },
});
await visit(ada, 'http://localhost:3000');

await emulator.close();
