// A page that lists the devices of a user, with a button to sign another device out. It shows a banner when a staff member
// impersonates the user. When you run it, Ada signs in on her laptop and her phone, then signs the phone out.
//
//   npx tsx examples/devices.ts

import { Hono } from 'hono';
import { html } from 'hono/html';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { honoSession, requireSession, respond, type SessionEnv, sessionOf } from 'sallyport/hono';
import { createSessions } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';

const emulator = await createEmulator({
  dialect: 'workos',
  autoApprove: true,
  // Access tokens work until they expire, so a revoked device is signed out within a minute.
  accessTokenLifetimeMs: 60_000,
  seed: { users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }] },
});
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: 'http://localhost:3000/callback',
  // Only for the example, which moves the emulator's clock.
  now: () => emulator.clock.now(),
});

/** List the active sessions of a user. */
async function sessionsOf(userId: string) {
  const all = await sallyport.userManagement.listSessions(userId).toArray({ max: 1_000 });
  return all.filter(({ status }) => status === 'active');
}

const app = new Hono<SessionEnv>();
app.use(honoSession(sessions));
app.get('/callback', async (c) => respond(await sessions.finishSignIn(c.req.raw)));

app.get('/devices', requireSession(sessions, { signIn: true }), async (c) => {
  const { user, sessionId, impersonator } = sessionOf(c);
  const rows = (await sessionsOf(user.id)).map(({ id, userAgent, createdAt }) => {
    const device = `${userAgent ?? 'A device'}, since ${createdAt}`;
    return id === sessionId
      ? html`<li>${device}: this one</li>`
      : html`<li>${device} <form method="post" action="/devices/${id}/sign-out"><button>Sign out</button></form></li>`;
  });
  const banner = impersonator && html`<p>${impersonator.email} acts as ${user.email}: ${impersonator.reason}</p>`;
  return c.html(html`<!doctype html><title>Devices</title>${banner}<ul>${rows}</ul>`);
});

// Use POST, so that other sites cannot trigger this (SameSite cookie). maxAgeMs protects unattended computers.
app.post('/devices/:id/sign-out', requireSession(sessions, { maxAgeMs: 900_000 }), async (c) => {
  const sessionId = c.req.param('id');
  const userSessions = await sessionsOf(sessionOf(c).user.id);
  // The id in the path may belong to another user.
  if (!userSessions.some(({ id }) => id === sessionId)) return c.notFound();
  await sallyport.userManagement.revokeSession({ sessionId });
  return c.redirect('/devices', 303);
});

const site = 'http://localhost:3000';
const sites = { [site]: (request: Request) => app.fetch(request), [emulator.url]: emulator.fetch };
const laptop = new TestBrowser({ loginHint: 'ada@acme.test', sites, userAgent: 'Laptop' });
const phone = new TestBrowser({ loginHint: 'ada@acme.test', sites, userAgent: 'Phone' });
const devices = (browser: TestBrowser): string =>
  browser.page.text.match(/\w+(?=, since)|this one/g)?.join(', ') ?? `${browser.page.status}`;

await laptop.open(`${site}/devices`);
await phone.open(`${site}/devices`);
await laptop.open(`${site}/devices`);
console.log(`signed in: ${devices(laptop)}`);
await laptop.submit({});
console.log(`after the button: ${devices(laptop)}`);

await emulator.clock.advance('2m');
const { status } = await sessions.handle({ headers: { cookie: phone.cookiesFor(site) } });
console.log(`the phone, two minutes later: ${status}`);

// A staff member impersonates Ada.
const { code } = await emulator.impersonate({ userId: 'user_ada', email: 'staff@vendor.test', reason: 'Ticket 7' });
const tokens = await sallyport.userManagement.authenticateWithCode({ code });
const cookie = (await sessions.create(tokens)).map((line) => line.split(';')[0]).join('; ');
const page = await (await app.request('/devices', { headers: { cookie } })).text();
console.log(/<p>(.*?)<\/p>/.exec(page)?.[1]);

await emulator.close();
