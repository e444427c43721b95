// A replica that shares refreshes: the first message is the setup, and each further message is a round.
import { postgresStore, redisStore } from 'sallyport/stores';
import { type Round, racer, type Setup } from '../session/racer.js';
import { postgresDrivers, redisDrivers } from './drivers.js';

/** Setup of a replica, sent before the first round. */
export interface StoreSetup extends Setup {
  readonly driver: string;
  readonly storeUrl: string;
}

const begin = async ({ driver, storeUrl, ...setup }: StoreSetup) => {
  const redis = redisDrivers[driver];
  const store = redis
    ? redisStore((await redis(storeUrl)).client)
    : postgresStore((await postgresDrivers[driver]!(storeUrl)).client);
  return racer({ ...setup, refresh: { store }, onProblem: () => undefined });
};

let race: ReturnType<typeof begin> | undefined;
process.on('message', async (message: StoreSetup | Round) => {
  if (!('cookie' in message)) race = begin(message);
  else process.send?.(await (await race)?.(message));
});
