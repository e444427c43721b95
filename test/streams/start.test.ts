import { memoryCheckpoint } from 'sallyport/streams';
import { expect, test } from 'vitest';
import { collect, startWorld, until } from './world.js';

test('a saved checkpoint takes precedence over a later start time, even if the checkpoint has no settled event', async () => {
  const { stream, user, emulator } = await startWorld();
  const first = stream({ start: '2026-05-04T08:00:00.000Z' });
  const { addresses } = collect(first);
  await user('ada');
  first.poke();
  await until(() => addresses.length === 1);
  await first.close();
  await emulator.clock.advance('10s');
  await user('bob');
  await emulator.clock.advance('10s');

  collect(stream({ start: '2026-05-04T08:00:20.000Z' }), addresses);
  await until(() => addresses.length === 2);

  expect(addresses).toEqual(['ada', 'bob']);
});

test.each([
  ['latest', 'latest'],
  ['2026-05-04T08:00:00.000Z', '2026-05-04T08:00:20.000Z'],
])('a stream with start: %s saves a position even if no event arrives', async (start, startAgain) => {
  const { stream, user, emulator } = await startWorld();
  const first = stream({ start });
  collect(first);
  await until(() => first.status().state === 'following');
  await first.close();
  await emulator.clock.advance('10s');
  await user('bob');
  await emulator.clock.advance('10s');

  const { addresses } = collect(stream({ start: startAgain }));
  await until(() => addresses.length === 1);

  expect(addresses).toEqual(['bob']);
});

test('a stream that starts at the latest event saves a position even if no event matches the requested types', async () => {
  const { stream, user, client } = await startWorld();
  await user('ada');
  const options = { start: 'latest', events: ['organization.created'] } as const;
  const first = stream(options);
  collect(first);
  await until(() => first.status().state === 'following');
  await first.close();
  await client.organizations.createOrganization({ name: 'Acme' });

  const { addresses } = collect(stream(options));
  await until(() => addresses.length === 1);

  expect(addresses).toEqual(['organization.created']);
});

test('a stream delivers no events before the first position is saved', async () => {
  const { stream, user, problems } = await startWorld();
  await user('ada');
  const checkpoint = memoryCheckpoint();
  let isDown = true;
  const save = (next: string, previous: string | undefined): Promise<boolean> =>
    isDown ? Promise.reject(new Error('no store')) : checkpoint.save(next, previous);
  const one = stream({ checkpoint: { ...checkpoint, save } });
  const { addresses } = collect(one);
  await until(() => problems.length > 0);
  const before = { state: one.status().state, addresses: [...addresses] };

  isDown = false;
  await until(() => addresses.length === 1);

  expect(before).toEqual({ state: 'outage', addresses: [] });
  expect(problems).toMatchObject([{ code: 'checkpoint', cause: { message: 'no store' } }]);
});
