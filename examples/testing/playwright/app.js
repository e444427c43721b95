import express from 'express';
import { Sallyport } from 'sallyport';
import { expressSession, sessionOf } from 'sallyport/express';
import { createSessions } from 'sallyport/session';

const { PORT = '3000', SALLYPORT_BASE_URL: baseUrl, SALLYPORT_COOKIE_PASSWORD: password } = process.env;

// One application for all workers. The subdomain of localhost selects the world.
const tenants = new Map();
function tenantOf({ hostname }) {
  const [, world] = /^(w\d{1,3})\.localhost$/.exec(hostname) ?? [];
  if (!world) throw new Error('Open this application at an address such as http://w0.localhost.');
  if (!tenants.has(world)) {
    const credentials = { apiKey: `sk_test_${world}`, clientId: `client_${world}`, baseUrl, dialect: 'workos' };
    const redirectUri = `http://${world}.localhost:${PORT}/callback`;
    tenants.set(world, {
      sallyport: new Sallyport(credentials),
      sessions: createSessions({ ...credentials, cookiePassword: password, redirectUri }),
    });
  }
  return tenants.get(world);
}

const app = express();
app.get('/health', (_, res) => res.send('ok'));
app.use(expressSession((request) => tenantOf(request).sessions, { protect: ['/account', '/people'], routes: true }));
app.get('/account', (req, res) => {
  const { user, organizationId } = sessionOf(req);
  res.send(
    `<h1>${user.email}</h1><p>in ${organizationId}</p><form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );
});
app.get('/people', async (req, res) => {
  const { data } = await tenantOf(req).sallyport.userManagement.listUsers({ limit: 100 });
  res.send(`<ul>${data.map(({ email }) => `<li>${email}</li>`).join('')}</ul>`);
});
app.listen(PORT);
