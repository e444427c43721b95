import express from 'express';
import {
  accessOf,
  appendHeaders,
  expressSession,
  requireRecent,
  requireSession,
  respond,
  sessionOf,
} from 'sallyport/express';
import { createSessions } from 'sallyport/session';
import { account, home, page, paragraph } from './pages.js';

// Options are taken from SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID and so on.
const sessions = createSessions();
const redirectUri = new URL(process.env.SALLYPORT_REDIRECT_URI);
const signedIn = requireSession(sessions, { signIn: true });

const app = express();
app.use(expressSession(sessions), (_, res, next) => {
  // The back button then asks again, rather than showing who was signed in.
  res.set('cache-control', 'private, no-store');
  next();
});

app.get('/', (req, res) => {
  res.send(home(req.auth.session));
});

app.get('/sign-in', async (req, res) =>
  respond(res, await sessions.startSignIn(req, { returnTo: req.query.return_to })),
);
app.get(redirectUri.pathname, async (req, res) => respond(res, await sessions.finishSignIn(req)));
app.post('/sign-out', async (req, res) =>
  respond(res, await sessions.signOut(req, { returnTo: new URL('/', redirectUri).href })),
);

app.get('/account', signedIn, (req, res) => {
  res.send(account(sessionOf(req)));
});
app.post('/account/switch', signedIn, express.urlencoded(), async (req, res) => {
  const result = await sessions.switchOrganization(req, req.body.organization);
  appendHeaders(res, result.headers);
  if (result.status === 'refused') res.status(403).send(account(sessionOf(req), `You cannot switch: ${result.reason}`));
  else res.redirect(303, '/account');
});
app.post('/account/refresh', signedIn, async (req, res) => {
  const result = await sessions.refresh(req);
  appendHeaders(res, result.headers);
  res.redirect(303, '/account');
});

app.get('/reports', signedIn, (req, res) => {
  const session = sessionOf(req);
  if (session.has({ permission: 'docs:plan' })) res.send(page(paragraph(`Reports of ${session.organizationId}`)));
  else res.status(403).send(page(paragraph('You may not read reports')));
});

app.get('/password', requireRecent(sessions, { signIn: true, maxAgeSec: 300 }), (req, res) => {
  res.send(page(paragraph(`A new password for ${sessionOf(req).user.email}`)));
});

// For the cookie of a browser and for access tokens.
app.get('/api/me', requireSession(sessions, { bearer: true }), (req, res) => {
  res.json({ userId: accessOf(req).userId });
});

// An answer in two parts. The cookie of a session that was refreshed goes with the first.
let goOn = () => {};
app.get('/stream', signedIn, async (req, res) => {
  const gone = new Promise((resolve) => {
    goOn = resolve;
  });
  res.type('html').write(paragraph('First'));
  await gone;
  res.end(paragraph(`Then ${sessionOf(req).user.email}`));
});
app.post('/stream/go', (_, res) => {
  goOn();
  res.sendStatus(204);
});

app.listen(process.env.PORT ?? 3000);
