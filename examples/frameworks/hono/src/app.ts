import { Hono } from 'hono';
import { appendHeaders, callerOf, honoSession, requireSession, type SessionEnv, sessionOf } from 'sallyport/hono';
import { createSessions, type SessionsOptions } from 'sallyport/session';
import { account, home } from './pages.js';

export function application(settings?: SessionsOptions) {
  const sessions = createSessions(settings);
  const app = new Hono<SessionEnv>();
  // Also handles /sign-in, /callback and /sign-out. All other pages need a session, except the home page and everything below the other open paths.
  const open = ['/', '/api/me', '/assets', '/favicon.ico', '/health'];
  app.use(honoSession(sessions, { protect: ['/'], open, routes: true }));
  app.use(async (c, next) => {
    await next();
    // After signing out, the back button must not show the cached page.
    c.header('cache-control', 'private, no-store');
  });

  app.get('/', (c) => c.html(home(c.var.auth.session)));

  app.get('/account', (c) => c.html(account(sessionOf(c))));
  app.post('/account/switch', async (c) => {
    const { organization } = await c.req.parseBody<{ organization: string }>();
    const result = await sessions.switchOrganization(c.req.raw, organization);
    appendHeaders(c, result.headers);
    if (result.status !== 'refused') return c.redirect('/account', 303);
    return c.html(account(sessionOf(c), `You cannot switch: ${result.reason}`), 403);
  });
  app.post('/account/refresh', async (c) => {
    const { headers } = await sessions.refresh(c.req.raw);
    appendHeaders(c, headers);
    return c.redirect('/account', 303);
  });

  // Accepts session cookies and access tokens.
  app.get('/api/me', requireSession(sessions, { bearer: true }), (c) => c.json({ userId: callerOf(c).userId }));

  return app;
}
