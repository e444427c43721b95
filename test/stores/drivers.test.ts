import { postgresStore, postgresStoreTable, redisStore } from 'sallyport/stores';
import { expect, test } from 'vitest';

test.each([
  ['undefined', undefined],
  ['an unrelated object', { get() {}, set() {} }],
  ['a node-redis cluster', { sendCommand() {}, slots: [] }],
])('redisStore rejects %s as a client', (_, client) => {
  expect(() => redisStore(client as never)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', argument: 'client' }),
  );
});

test('redisStore accepts a function that sends commands to a node-redis cluster', async () => {
  const commands: unknown[] = [];
  const cluster = {
    slots: [],
    async sendCommand(...args: unknown[]) {
      commands.push(args);
      return null;
    },
  };
  const store = redisStore((command) => cluster.sendCommand(command[command[0] === 'EVAL' ? 3 : 1], false, command));

  await store.get('key');
  await store.delete('key', 'value');

  expect(commands).toEqual([
    ['sallyport:key', false, ['GET', 'sallyport:key']],
    ['sallyport:key', false, ['EVAL', expect.any(String), '1', 'sallyport:key', 'value']],
  ]);
});

test.each([[undefined], [{ get() {} }], ['postgres://localhost']])(
  'postgresStore rejects %o as a client',
  (database) => {
    expect(() => postgresStore(database as never)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', argument: 'database' }),
    );
  },
);

test.each([['drop table'], ["x'; --"], ['a.b.c'], [''], ['1st']])(
  'postgresStore rejects the table name %j',
  (table) => {
    for (const make of [() => postgresStoreTable(table), () => postgresStore(async () => [], { table })])
      expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument', argument: 'table' }));
  },
);
