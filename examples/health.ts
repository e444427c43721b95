// Health checks: a server that loads its list of revocations before it takes requests, reports problems, and stops cleanly.
//
//   npx tsx examples/health.ts

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { follow, followRevocations, on, storeCheckpoint } from 'sallyport/streams';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const store = memoryStore(); // in production: redisStore(redis) or postgresStore(pool)

const revocations = followRevocations(sallyport, { store });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  revocations,
});
const stream = follow(sallyport, { checkpoint: storeCheckpoint(store, 'users') });
const running = stream.run(on({ 'user.deleted': (event) => console.log('deleted', event.data.id) }));

let isStopping = false;
const server = createServer(async (request, response) => {
  switch (request.url) {
    case '/livez':
      return response.end('ok');
    case '/readyz':
      // Do not check the service here: an outage would take all replicas out of traffic.
      return response.writeHead(isStopping ? 503 : 200).end();
    case '/healthz': {
      // For alerts, not for Kubernetes.
      const checks = [revocations.health(), stream.health()];
      response.writeHead(checks.every(({ ok }) => ok) ? 200 : 500);
      return response.end(checks.map(({ line }) => `${line}\n`).join(''));
    }
    default: {
      const { status } = await sessions.handle(request);
      return response.end(status);
    }
  }
});

process.once('SIGTERM', async () => {
  isStopping = true;
  server.close();
  await stream.close();
  await running;
  await revocations.close();
  console.log('stopped');
  await emulator.close(); // only for the example
});

// Waits ten seconds at most, so that the server also starts during an outage.
await revocations.ready();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const { port } = server.address() as AddressInfo;
for (const path of ['/livez', '/readyz', '/healthz', '/']) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  console.log(path, response.status, (await response.text()).trim());
}
process.kill(process.pid, 'SIGTERM');
