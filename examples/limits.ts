// Twelve concurrent calls against a limit of five per second. Without the `limits` option some are refused; with it all succeed.
//
//   npx tsx examples/limits.ts

import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

// The service's limits apply per ten seconds or per minute. A shorter period keeps the example fast.
const numbers = { requests: 5, windowMs: 1_000 };
const emulator = await createEmulator({ dialect: 'workos', seed: { users: [{ email: 'ada@acme.test' }] } });
await emulator.setRateLimit('user_management_reads', numbers);
const options = { ...emulator.credentials, fetch: emulator.fetch };
const limits = { mode: 'published', limits: { user_management_reads: numbers } } as const;

/** Make twelve concurrent calls, and count how many are answered and how many are refused. */
async function callTwelveTimes(...clients: Sallyport[]) {
  const calls = Array.from({ length: 12 }, (_, at) =>
    clients[at % clients.length]!.userManagement.listUsers({ limit: 1 }, { maxRetries: 0 }),
  );
  const results = await Promise.allSettled(calls);
  const answered = results.filter(({ status }) => status === 'fulfilled').length;
  return `${answered} answered, ${results.length - answered} refused`;
}

console.log('without limits:', await callTwelveTimes(new Sallyport(options)));

const sallyport = new Sallyport({ ...options, limits });
await new Promise((resolve) => setTimeout(resolve, 1_000));
console.log('with limits:', await callTwelveTimes(sallyport));
for (const { name, used, allowed } of sallyport.limits.snapshot())
  if (name === 'user_management_reads') console.log(`${name}: ${used} of ${allowed} in use`);

// Two replicas share the limit through a limiter. In production, use RateLimiterRedis or RateLimiterPostgres.
const limiter = new RateLimiterMemory({ points: numbers.requests, duration: 1 });
const replicas = [1, 2].map(() => new Sallyport({ ...options, limits: { ...limits, limiter: () => limiter } }));
await new Promise((resolve) => setTimeout(resolve, 1_000));
console.log('two replicas:', await callTwelveTimes(...replicas));
await emulator.close();
