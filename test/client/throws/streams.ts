import { memoryStore } from 'sallyport/stores';
import { follow, followRevocations, on, storeCheckpoint } from 'sallyport/streams';
import { rowsOf } from './world.js';

export const streamRows = [
  ...rowsOf('', {
    'on InvalidArgumentError invalid_argument': () => on({}),
    'storeCheckpoint InvalidArgumentError invalid_argument': () => storeCheckpoint(memoryStore(), 'my stream'),
    'follow ConfigurationError invalid_option': ({ client }) => follow(client, { concurrency: 0.5 }),
    'followRevocations ConfigurationError invalid_option': ({ client }) => followRevocations(client, { feed: false }),
    'Stream.settled StreamError not_settled': ({ client }) => follow(client).settled({ timeoutMs: 10 }),
    'Stream.run StreamError poison_event': async ({ client }) => {
      await client.organizations.createOrganization({ name: 'Acme' });
      return follow(client, { maxRetries: 0 }).run(() => Promise.reject(new Error('no such table')));
    },
  }),
];
