import express from 'express';
import { callerOf, requireSession } from 'sallyport/express';
import { createTokenVerifier } from 'sallyport/session';

const {
  SALLYPORT_BASE_URL: baseUrl = 'https://api.workos.com',
  SALLYPORT_CLIENT_ID: clientId,
  PORT = '3000',
} = process.env;
const tokens = createTokenVerifier({ dialect: 'workos', baseUrl, clientId });
const app = express();

// The page needs these for sign-in. Neither is secret.
app.get('/api/config', (_, res) => {
  res.json({ baseUrl, clientId });
});
app.get('/api/me', requireSession(tokens), (req, res) => {
  res.json({ userId: callerOf(req).userId });
});
app.get('/api/reports', requireSession(tokens), (req, res) => {
  const session = callerOf(req);
  if (session.has({ permission: 'reports:read' })) res.json({ of: session.organizationId });
  else res.status(403).json({ error: 'forbidden' });
});

// Serve the build of `npm run build`. All other paths serve the page, whose router handles them.
app.use(express.static('dist'));
app.get('/{*path}', (_, res) => {
  res.sendFile('index.html', { root: 'dist' });
});
app.listen(Number(PORT));
