// The emulator in use for hours: calls that change and read, each with its event and its webhook. What it remembers to be looked at is
// bounded, so the heap has to stay where it is once the bounds are reached; the objects themselves are deleted as they are made.
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
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}`);
  return method === 'DELETE' ? undefined : response.json();
};

const rows = [];
let made = 0;
for (let look = 1; look <= looks; look++) {
  // Six calls a round, four of them with an event.
  for (; made < (calls / looks) * look; made += 6) {
    const { id } = await ask('POST', '/organizations', { name: `Acme ${made}` });
    await ask('PUT', `/organizations/${id}`, { name: `Acme, number ${made}` });
    await ask('GET', '/organizations?limit=10');
    await ask('GET', `/organizations/${id}`);
    await ask('POST', '/user_management/invitations', { email: `person${made}@acme.test`, organization_id: id });
    await ask('DELETE', `/organizations/${id}`);
    // As between two requests over HTTP: engines clean up after requests when nothing else is to be done.
    await new Promise(setImmediate);
  }
  await emulator.waitForDeliveries();
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  const { events, deliveries, messages, answers } = emulator.dropped();
  rows.push([`after ${made} calls`, heapUsed / 2 ** 20, rss / 2 ** 20, events + deliveries + messages + answers]);
}
await emulator.close();

const [middle, last] = [rows[looks / 2 - 1], rows[looks - 1]];
report('soak', {
  figures: { 'soak.heapGrowth': last[1] / middle[1] },
  tables: [
    {
      title: 'In use for hours: calls with events and webhooks, in process',
      columns: [
        ['heap MB', 0],
        ['RSS MB', 0],
        ['forgotten, of what is remembered to be looked at', 0],
      ],
      rows,
    },
  ],
});
