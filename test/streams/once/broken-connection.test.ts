import { once as emitted } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { exactlyOnce } from 'sallyport/streams';
import { expect, onTestFinished, test } from 'vitest';
import { requires } from '../../runner/requirements.js';
import { failureOf } from '../../servers/server.js';
import { packages, pgPool } from './drivers.js';
import { userEvent } from './events.js';

/** Builds a message of PostgreSQL's protocol. */
const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const shuttingDown = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

requires(packages)('a PostgreSQL server that closes a connection in the first response', () => {
  test('makes apply() fail without ending the process', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, shuttingDown])));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await emitted(server, 'listening');
    const pool = pgPool(`postgres://ada@127.0.0.1:${(server.address() as AddressInfo).port}/ada`);
    onTestFinished(() => pool.end());
    const once = exactlyOnce(pool, { handler: () => {} });

    const error = await failureOf(once.apply(userEvent(1, 'created', 'ada@acme.test')));

    expect(error).toBeInstanceOf(Error);
    expect(pool.totalCount).toBe(0);
  });
});
