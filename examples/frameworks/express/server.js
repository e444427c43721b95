import express from 'express';
import { appendHeaders, callerOf, requireSession, sessionOf } from 'sallyport/express';
import { account, head, home, page, paragraph } from './pages.js';
import { session, sessions } from './sallyport.js';

const app = express();
app.use(session);
app.use((_, res, next) => {
  // After signing out, the back button must not show the cached page.
  res.set('cache-control', 'private, no-store');
  next();
});

app.get('/', (req, res) => {
  res.send(home(req.auth.session));
});

app.get('/account', (req, res) => {
  res.send(account(sessionOf(req)));
});
app.post('/account/switch', express.urlencoded(), async (req, res) => {
  const result = await sessions.switchOrganization(req, req.body.organization);
  appendHeaders(res, result.headers);
  if (result.status === 'refused') res.status(403).send(account(sessionOf(req), `You cannot switch: ${result.reason}`));
  else res.redirect(303, '/account');
});
app.post('/account/refresh', async (req, res) => {
  const result = await sessions.refresh(req);
  appendHeaders(res, result.headers);
  res.redirect(303, '/account');
});

app.get('/reports', (req, res) => {
  const session = sessionOf(req);
  if (session.has({ permission: 'reports:read' })) res.send(page(paragraph(`Reports of ${session.organizationId}`)));
  else res.status(403).send(page(paragraph('You may not read reports')));
});

app.get('/password', requireSession(sessions, { signIn: true, maxAgeMs: 300_000 }), (req, res) => {
  res.send(page(paragraph(`A new password for ${sessionOf(req).user.email}`)));
});

// Accepts session cookies and access tokens.
app.get('/api/me', requireSession(sessions, { bearer: true }), (req, res) => {
  res.json({ userId: callerOf(req).userId });
});

// A response in two parts. The cookie of a refreshed session is sent with the first.
let goOn = () => {};
app.get('/stream', async (req, res) => {
  const signal = new Promise((resolve) => {
    goOn = resolve;
  });
  res.type('html').write(head + paragraph('First'));
  await signal;
  res.end(paragraph(`Then ${sessionOf(req).user.email}`));
});
app.post('/stream/go', (_, res) => {
  goOn();
  res.sendStatus(204);
});

app.listen(process.env.PORT ?? 3000);
