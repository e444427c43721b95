// Streams: keep an application up to date with the service, without losing events.
//
//   npx tsx examples/streams.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { memoryStore } from 'sallyport/stores';
import { type DeadLetter, follow, on, storeCheckpoint } from 'sallyport/streams';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

// With redisStore or postgresStore, replicas share the checkpoint: one follows, the others stand by.
const checkpoint = storeCheckpoint(memoryStore(), 'users');
const letters: DeadLetter[] = [];
const options = { checkpoint, concurrency: 4, onPoison: (letter: DeadLetter) => letters.push(letter), maxRetries: 1 };

const people = new Map<string, string>();
const handle = on({
  'user.created': (event) => {
    if (event.data.email.startsWith('mallory')) throw new Error('no such department');
    people.set(event.data.id, event.data.email);
  },
  'user.deleted': (event) => {
    people.delete(event.data.id);
  },
});

await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
await sallyport.userManagement.createUser({ email: 'mallory@acme.test' });
const first = follow(sallyport, options);
const ended = first.run(handle);
await until(() => first.status().handled === 2);
console.log(...people.values(), '-', letters.length, 'dead letter:', String(letters[0]?.error));
console.log(first.health().line);
await first.close();
await ended;

// Events that happen while the stream is closed arrive after the next start.
const bob = await sallyport.userManagement.createUser({ email: 'bob@acme.test' });
const second = follow(sallyport, options);
void second.run(handle);
await until(() => people.has(bob.id));
console.log('after a restart:', ...people.values());

// A webhook handler can call poke(), so that the stream polls immediately.
await sallyport.userManagement.deleteUser(bob.id);
second.poke();
await until(() => !people.has(bob.id));
console.log('after a poke:', ...people.values());

await second.close();
await emulator.close();

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
