import { createHmac } from 'node:crypto';
import { memoryStore, type Store } from 'sallyport/stores';
import { on } from 'sallyport/streams';
import { receive, webhookHandler } from 'sallyport/webhooks';
import { expect, test } from 'vitest';
import { stage } from '../stage.js';

// Deliveries of the emulator that come doubled, late and out of order, to several replicas of an application.

/** An application of three replicas that share a store; each event that is handled is noted. */
async function application(once: Store | undefined, handler: (email: string) => unknown = () => undefined) {
  const handled: string[] = [];
  const answers: number[] = [];
  let secret = '';
  let delivered = 0;
  const { emulator, sallyport: client } = await stage({
    async deliver(request) {
      const response = await replicas[delivered++ % replicas.length]!(request);
      answers.push(response.status);
      return response;
    },
  });
  const replica = () => (request: Request) =>
    webhookHandler({
      secret,
      client,
      store: once,
      now: () => emulator.clock.now(),
      onProblem: () => undefined,
      handler: on({
        async 'user.created'(event) {
          await handler(event.data.email);
          handled.push(event.data.email);
        },
      }),
    })(request);
  const replicas = [replica(), replica(), replica()];
  const endpoint = await client.webhooks.createWebhookEndpoint({
    endpointUrl: 'https://app.acme.test/webhooks',
    events: ['user.created'],
  });
  secret = endpoint.secret;
  const people = Array.from({ length: 20 }, (_, number) => `person${number}@acme.test`);
  /** Creates the people, and lets the service send what it has, again and again, for three days. */
  const happen = async () => {
    for (const email of people) await client.userManagement.createUser({ email });
    for (let day = 0; day < 4; day++) {
      await emulator.waitForDeliveries();
      await emulator.clock.advance('1d');
    }
    await emulator.waitForDeliveries();
  };
  return { emulator, handled, answers, people, happen };
}
const store = () => memoryStore();

test('each event is handled once when all are delivered ten times, and late and out of order', async () => {
  const { emulator, handled, answers, people, happen } = await application(store());
  await emulator.faults.add({ of: 'webhooks', copies: 10, share: 0.5 });
  await emulator.faults.add({ of: 'webhooks', delay: '1m', share: 0.5 });
  await happen();

  expect([...handled].sort()).toEqual([...people].sort());
  expect(answers.length).toBeGreaterThan(100);
});

test('each event is handled once and for all when handlers fail at first', async () => {
  const tried = new Map<string, number>();
  const { emulator, handled, answers, people, happen } = await application(store(), (email) => {
    tried.set(email, (tried.get(email) ?? 0) + 1);
    if (tried.get(email)! <= 2) throw new Error('the database is down');
  });
  await emulator.faults.add({ of: 'webhooks', copies: 3 });
  await happen();

  expect([...handled].sort()).toEqual([...people].sort());
  expect(new Set(answers)).toContain(500);
});

test('events are handled several times without a store', async () => {
  const { emulator, handled, people, happen } = await application(undefined);
  await emulator.faults.add({ of: 'webhooks', copies: 3 });
  await happen();

  expect(handled).toHaveLength(3 * people.length);
});

test('an endpoint of a seed can choose the Standard Webhooks scheme for its deliveries', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const requests: Request[] = [];
  const { emulator, sallyport: client } = await stage({
    clock: '2026-11-20T10:00:00.500Z',
    seed: {
      webhook_endpoints: [
        { endpoint_url: 'https://app.acme.test/standard', scheme: 'standard', secret },
        { endpoint_url: 'https://app.acme.test/random', scheme: 'standard' },
        { endpoint_url: 'https://app.acme.test/service' },
      ],
    },
    deliver(request) {
      requests.push(request);
      return new Response();
    },
  });
  await client.userManagement.createUser({ email: 'ada@acme.test' });
  await emulator.waitForDeliveries();

  expect(requests).toHaveLength(3);
  const { data: endpoints } = await client.webhooks.listWebhookEndpoints();
  for (const request of requests) {
    const { secret } = endpoints.find(({ endpointUrl }) => endpointUrl === request.url)!;
    const scheme = request.url.endsWith('service') ? 'service' : 'standard';
    const result = await receive(request.clone(), { secret, scheme, client, now: () => emulator.clock.now() });
    expect(result).toMatchObject({ status: 'received', event: { event: 'user.created' }, id: result.event?.id });
  }
  // Once more without our code.
  const request = requests.find(({ url }) => url.endsWith('standard'))!;
  const [id, timestamp] = [request.headers.get('webhook-id'), request.headers.get('webhook-timestamp')];
  const digest = createHmac('sha256', Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'));
  const signature = digest.update(`${id}.${timestamp}.${await request.text()}`).digest('base64');
  expect(timestamp).toBe('1795168800');
  expect(request.headers.get('webhook-signature')).toBe(`v1,${signature}`);
  expect(request.headers.get('service-signature')).toBeNull();
});

test('a seed with that scheme and a secret that is not Base64 is refused', async () => {
  const webhook_endpoints = [
    { endpoint_url: 'https://app.acme.test/', scheme: 'standard' as const, secret: 'whsec_a b!' },
  ];

  await expect(stage({ seed: { webhook_endpoints } })).rejects.toThrow(/secret must be whsec_ and Base64/);
});
