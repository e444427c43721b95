import { Sallyport } from 'sallyport';
import { redisStore } from 'sallyport/stores';
import { follow, storeCheckpoint } from 'sallyport/streams';
import { redisDrivers } from '../stores/drivers.js';

// A replica that follows a stream until it is killed, and prints the events that it has handled.

const [, , baseUrl = '', apiKey = '', redisUrl = ''] = process.argv;
const { client } = await redisDrivers.ioredis!(redisUrl);
const sallyport = new Sallyport({ baseUrl, apiKey, dialect: 'spec' });
const checkpoint = storeCheckpoint(redisStore(client), 'organizations');
const stream = follow(sallyport, { checkpoint, events: ['organization.created'], pollMs: 50 });
process.send?.('ready');
await stream.run(({ data }) => void process.send?.((data as { readonly name: string }).name));
