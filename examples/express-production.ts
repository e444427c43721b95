// Express in production: helmet, the check of the origin, health checks, and a clean stop.
//
//   npx tsx examples/express-production.ts

import type { AddressInfo } from 'node:net';
import express from 'express';
import helmet from 'helmet';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { expressSession, sessionOf } from 'sallyport/express';
import { createSessions } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { follow, on, storeCheckpoint } from 'sallyport/streams';
import { TestBrowser } from 'sallyport/testing';
import { visit } from './session/visit.js';

const emulator = await createEmulator({ dialect: 'workos', autoApprove: true });
const { baseUrl } = emulator.credentials; // in production: https://api.workos.com
const site = 'http://localhost:3000';

const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: `${site}/callback`,
  onProblem: ({ message }) => console.error(message),
});

const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const stream = follow(sallyport, { checkpoint: storeCheckpoint(memoryStore(), 'users') });
const running = stream.run(on({ 'user.deleted': (event) => console.log('deleted', event.data.id) }));

let isStopping = false;
const app = express();
app.get('/livez', (_, res) => void res.send('ok'));
app.get('/readyz', (_, res) => void res.sendStatus(isStopping ? 503 : 200));
app.get('/healthz', (_, res) => {
  const { ok, line } = stream.health();
  res.status(ok ? 200 : 500).send(line);
});

app.use(
  helmet({
    contentSecurityPolicy: {
      // The form for signing out posts to this site, and is redirected to the service.
      directives: { formAction: ["'self'", new URL(baseUrl).origin] },
    },
  }),
);
app.use(expressSession(sessions, { protect: ['/'], open: ['/'], routes: true, csrf: true }));
app.get('/', (req, res) => {
  res.send(`Hello ${req.auth.session?.user.email ?? 'stranger'}`);
});
app.get('/account', (req, res) => {
  res.send(`The account of ${sessionOf(req).user.email}`);
});

const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;

process.once('SIGTERM', async () => {
  isStopping = true;
  server.close();
  await stream.close();
  await running;
  console.log('stopped');
  await emulator.close(); // only for the example
});

const ada = new TestBrowser({
  loginHint: 'ada@acme.test',
  sites: { [site]: `http://127.0.0.1:${port}`, [emulator.url]: emulator.fetch },
});
for (const path of ['/livez', '/readyz']) console.log(path, (await ada.open(site + path)).text);
await visit(ada, site);
process.kill(process.pid, 'SIGTERM');
