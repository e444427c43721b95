import { memoryStore } from 'sallyport/stores';
import { follow, followRevocations, memoryCheckpoint, on, storeCheckpoint } from 'sallyport/streams';
import type { Row } from './world.js';

const row = (claim: string, when: string, code: string, provoke: Row['provoke']): Row => ({
  claim,
  when,
  code,
  provoke,
});

const failing = () => Promise.reject(new Error('no such table'));

export const streamRows = [
  row('on InvalidArgumentError', 'no handlers', 'invalid_argument', () => on({})),
  row('storeCheckpoint InvalidArgumentError', 'a name with a blank', 'invalid_argument', () =>
    storeCheckpoint(memoryStore(), 'my stream'),
  ),
  row('follow ConfigurationError', 'half an event at once', 'invalid_option', ({ client }) =>
    follow(client, { concurrency: 0.5 }),
  ),
  row('followRevocations ConfigurationError', 'feed: false without a store', 'invalid_option', ({ client }) =>
    followRevocations(client, { feed: false }),
  ),
  row('Stream.run StreamError', 'an event that fails', 'poison_event', async ({ client, user }) => {
    await user();
    return follow(client, { retries: 0 }).run(failing);
  }),
  row('Stream.run StreamError', 'a checkpoint of something else', 'checkpoint_malformed', async ({ client }) => {
    const checkpoint = memoryCheckpoint();
    await checkpoint.save('42', undefined);
    return follow(client, { checkpoint }).run(failing);
  }),
];
