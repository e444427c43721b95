// Runs in Bun, to test the store with Bun's own Redis client.
import { redisStore } from '../../src/stores/redis.js';
import { storeContract } from '../../src/testing/store-contract.js';

// @ts-expect-error The types of Bun are not installed.
const { RedisClient } = await import('bun');
const client = new RedisClient(process.env.REDIS_URL);
let hold = 0;
const failures: string[] = [];
for (const { name, run } of storeContract({ store: redisStore(client) }))
  await run().then(
    () => hold++,
    (error: unknown) => failures.push(`${name}: ${(error as Error).message}`),
  );
client.close();
for (const failure of failures) console.error(failure);
console.log(`${hold} hold, ${failures.length} do not`);
