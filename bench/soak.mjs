// Hours of use of the emulator: calls that write and read, with their events and webhooks, and users who sign in, refresh and
// sign out. Logs and expired records are bounded, so the heap must stop growing once the bounds are reached. The objects
// themselves are deleted as fast as they are created.
import { report } from './harness/report.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { collectGarbage, quick } from './harness/turns.mjs';

ensureBuilt();
const { createEmulator } = await load('emulator.js');

const calls = quick ? 60_000 : 300_000;
const looks = 6;
const emulator = await createEmulator({
  deliver: async () => new Response(),
  seed: { webhook_endpoints: [{ endpoint_url: 'http://localhost:4000/webhooks' }] },
});
const { apiKey } = emulator.credentials;
const ask = async (method, path, body) => {
  const response = await emulator.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  return method === 'DELETE' ? undefined : response.json();
};

const rows = [];
let made = 0;
for (let look = 1; look <= looks; look++) {
  // Six calls per round, four of them with an event.
  for (; made < (calls / looks) * look; made += 6) {
    const { id } = await ask('POST', '/organizations', { name: `Acme ${made}` });
    await ask('PUT', `/organizations/${id}`, { name: `Acme, number ${made}` });
    await ask('GET', '/organizations?limit=10');
    await ask('GET', `/organizations/${id}`);
    await ask('POST', '/user_management/invitations', { email: `person${made}@acme.test`, organization_id: id });
    await ask('DELETE', `/organizations/${id}`);
    // Yield as between two HTTP requests, because engines clean up when they are idle.
    await new Promise(setImmediate);
  }
  await emulator.waitForDeliveries();
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  const { events, deliveries, messages, answers } = emulator.dropped();
  rows.push([`after ${made} calls`, heapUsed / 2 ** 20, rss / 2 ** 20, events + deliveries + messages + answers]);
}
await emulator.close();

// A sign-in takes two requests, a refresh one and a sign-out one. Every session ends after three refreshes.
const signed = quick ? 20_000 : 100_000;
const email = 'ada@acme.test';
const people = await createEmulator({ autoApprove: true, seed: { users: [{ email, email_verified: true }] } });
const { apiKey: secret, clientId } = people.credentials;
const tokensFor = async (grant) => {
  const response = await people.fetch('/user_management/authenticate', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: clientId, client_secret: secret, ...grant }),
  });
  if (!response.ok) throw new Error(`authenticate returned ${response.status}: ${await response.text()}`);
  return response.json();
};
const authorizePath = `/user_management/authorize?${new URLSearchParams({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: 'http://localhost:3000/callback',
  provider: 'hosted-login',
  login_hint: email,
})}`;
const signInRows = [];
let tokens = 0;
for (let look = 1; look <= looks; look++) {
  for (; tokens < (signed / looks) * look; tokens += 4) {
    const { headers } = await people.fetch(authorizePath, { redirect: 'manual' });
    const code = new URL(headers.get('location')).searchParams.get('code');
    let answer = await tokensFor({ grant_type: 'authorization_code', code });
    for (let time = 0; time < 3; time++)
      answer = await tokensFor({ grant_type: 'refresh_token', refresh_token: answer.refresh_token });
    const { sid } = JSON.parse(Buffer.from(answer.access_token.split('.')[1], 'base64url').toString());
    const ended = await people.fetch('/user_management/sessions/revoke', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: sid }),
    });
    if (!ended.ok) throw new Error(`revoking a session returned ${ended.status}`);
    await new Promise(setImmediate);
  }
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  signInRows.push([`after ${tokens} sign-ins and refreshes`, heapUsed / 2 ** 20, rss / 2 ** 20]);
}
await people.close();

const growth = (all) => all[looks - 1][1] / all[looks / 2 - 1][1];
report('soak', {
  figures: { 'soak.heapGrowth': growth(rows), 'soak.signInHeapGrowth': growth(signInRows) },
  tables: [
    {
      title: 'Hours of use: calls with events and webhooks, in process',
      columns: [
        ['heap MB', 0],
        ['RSS MB', 0],
        ['dropped log entries', 0],
      ],
      rows,
    },
    {
      title: 'Hours of use: sign-ins, refreshes and sign-outs, in process',
      columns: [
        ['heap MB', 0],
        ['RSS MB', 0],
      ],
      rows: signInRows,
    },
  ],
});
