import { memoryStore, type Store } from 'sallyport/stores';
import { on } from 'sallyport/streams';
import { webhookHandler } from 'sallyport/webhooks';
import { expect, test } from 'vitest';
import { stage } from '../stage.js';

// The emulator sends deliveries twice, late and out of order to several replicas of an application.

/** Starts an application of three replicas that share a store, and records each handled event. */
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
  /** Creates the people, and lets the service send and retry its deliveries for three days. */
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

test('each event is handled only once even if deliveries are repeated, late and out of order', async () => {
  const { emulator, handled, answers, people, happen } = await application(store());
  await emulator.faults.add({ of: 'webhooks', copies: 10, share: 0.5 });
  await emulator.faults.add({ of: 'webhooks', delay: '1m', share: 0.5 });
  await happen();

  expect([...handled].sort()).toEqual([...people].sort());
  expect(answers.length).toBeGreaterThan(100);
});

test('each event is handled only once even if the handler fails at first', async () => {
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

test('a repeated event is handled again if no store is configured', async () => {
  const { emulator, handled, people, happen } = await application(undefined);
  await emulator.faults.add({ of: 'webhooks', copies: 3 });
  await happen();

  expect(handled).toHaveLength(3 * people.length);
});
