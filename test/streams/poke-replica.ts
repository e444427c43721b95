// One of the replicas that share a stream. It reports the events that it handles, and pokes or waits on request.
import { Sallyport } from 'sallyport';
import { postgresStore, redisStore } from 'sallyport/stores';
import { exactlyOnce, follow, storeCheckpoint } from 'sallyport/streams';
import { postgresDrivers, redisDrivers } from '../stores/drivers.js';

/** Setup of a replica, passed in its argument. */
export interface PokeReplicaSetup {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly engine: 'a store in Redis' | 'a store in PostgreSQL' | 'exactlyOnce in PostgreSQL';
  readonly url: string;
}

const { apiKey, baseUrl, engine, url } = JSON.parse(process.argv[2]!) as PokeReplicaSetup;
const checkpoint = await (async () => {
  if (engine === 'a store in Redis')
    return storeCheckpoint(redisStore((await redisDrivers.ioredis!(url)).client), 'pokes');
  const { client } = await postgresDrivers['a pg pool']!(url);
  if (engine === 'a store in PostgreSQL') return storeCheckpoint(postgresStore(client), 'pokes');
  return exactlyOnce(client as never, { handler: () => {} }).checkpoint('pokes');
})();
// Only pokes make it poll.
const stream = follow(new Sallyport({ apiKey, baseUrl }), { checkpoint, pollMs: 600_000 });
void stream.run((event) => void process.send?.({ handled: event.id, at: Date.now() }));

process.on('message', async (message) => {
  if (message === 'poke') stream.poke();
  else if (message === 'state') process.send?.({ state: stream.status().state });
  else await stream.settled({ timeoutMs: 20_000 }).then(() => process.send?.({ isSettled: true }));
});
