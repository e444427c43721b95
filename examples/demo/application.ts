import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Emulator } from 'sallyport/emulator';
import { requireSession, respond, sessionOf } from 'sallyport/express';
import { createSessions } from 'sallyport/session';

/** An application with sign-in, served over HTTP. */
export interface Application {
  readonly url: string;
  close(): void;
}

/** Start an application whose users sign in at the emulator. It calls the service with `ask`. */
export async function serve(emulator: Emulator, ask: typeof fetch): Promise<Application> {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword: 'a cookie password of thirty-two characters or more',
    redirectUri: `${url}/callback`,
    fetch: ask,
    // Only for the demo, which moves the emulator's clock.
    now: () => emulator.clock.now(),
  });
  app.get('/sign-in', async (request, response) => {
    const loginHint = request.query.email?.toString();
    respond(response, await sessions.startSignIn(request, { returnTo: '/account', ...(loginHint && { loginHint }) }));
  });
  app.get('/callback', async (request, response) => respond(response, await sessions.finishSignIn(request)));
  app.get('/account', requireSession(sessions), (request, response) => {
    const { user, sessionId, role } = sessionOf(request);
    response.json({ email: user.email, sessionId, role });
  });
  app.post('/sign-out', async (request, response) => respond(response, await sessions.signOut(request)));

  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
