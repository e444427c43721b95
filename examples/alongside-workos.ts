// An API that reads the session cookie of an application on @workos-inc/authkit-nextjs, in Express and in a worker. It never changes the
// cookie. When you run it, the client seals a cookie in the format of that application.
//
//   npx tsx examples/alongside-workos.ts

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessionReader, type SessionReader } from 'sallyport/session';

/** The statuses of a reader that are not `active`, as HTTP statuses. */
const refused = { expired: 401, signed_out: 401, retry_later: 503 };

/** The API in Express. */
export const expressApi = (reader: SessionReader): Express =>
  express().get('/api/account', async (req, res) => {
    const { status, session } = await reader.read(req.headers.cookie);
    if (status === 'active')
      res.json({ email: session.user.email, mayPlan: session.has({ permission: 'docks:plan' }) });
    else res.status(refused[status]).json({ status });
  });

/** The API in a worker. */
export const workerApi = (reader: SessionReader) => async (request: Request) => {
  const { status, session } = await reader.read(request.headers.get('cookie'));
  if (status === 'active') return Response.json({ email: session.user.email });
  return Response.json({ status }, { status: refused[status] });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const password = 'a quiet harbour at dawn';
  const emulator = await createEmulator({
    dialect: 'workos',
    seed: { users: [{ email: 'ada@acme.test', email_verified: true, password }] },
  });
  const { clientId } = emulator.credentials;
  const cookiePassword = 'at least 32 characters, from a vault';
  const { sealedSession } = await new Sallyport({
    ...emulator.credentials,
    fetch: emulator.fetch,
  }).userManagement.authenticateWithPassword({
    email: 'ada@acme.test',
    password,
    session: { sealSession: true, cookiePassword },
  });
  const reader = createSessionReader({
    clientId,
    cookiePassword,
    dialect: 'workos',
    baseUrl: emulator.url,
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
  });

  const server = expressApi(reader).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/account`;
  const headers = { cookie: `wos-session=${sealedSession}` };
  const show = async (response: Response) => console.log(response.status, await response.json());

  await show(await fetch(url, { headers }));
  await show(await workerApi(reader)(new Request(url, { headers })));
  await show(await fetch(url));
  await emulator.clock.advance('10m');
  await show(await fetch(url, { headers })); // the application refreshes the session, the API does not

  server.close();
  await emulator.close();
}
