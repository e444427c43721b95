import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { servedOperations } from '../../src/emulator/registry.js';
import { type RequestRecord, Sallyport } from '../../src/index.js';
import { operations } from '../../src/service/operations.js';
import { specifiedOperations } from '../spec/operations.js';
import { tour, type Visit } from './tour.js';

// Every operation of the specification is called through the client, HTTP and the emulator.

let emulator: Emulator;
let visit: Visit;
const requests: RequestRecord[] = [];

beforeAll(async () => {
  emulator = await createEmulator({
    seed: 'examples/company.yaml',
    clock: '2026-05-04T08:00:00.000Z',
    ids: 'tour',
    autoApprove: true,
  });
  await emulator.listen(0);
  const sallyport = new Sallyport({ ...emulator.credentials, hooks: { onRequest: (record) => requests.push(record) } });
  visit = { sallyport, emulator, fetch };
});
afterAll(() => emulator.close());

/** Returns the client's method with its documented name. */
const methodOf = (client: string): unknown =>
  client
    .split('.')
    .reduce<unknown>((room, name) => (room as Record<string, unknown> | undefined)?.[name], visit.sallyport);

describe.each(specifiedOperations.map((row) => [row.id, row.client] as const))('the %s operation', (id, client) => {
  test(`is called by the client method ${client} and served by the emulator`, async () => {
    const stop = tour[id];
    const before = emulator.served.get(id) ?? 0;
    requests.length = 0;
    expect(stop, 'the tour has a stop for it').toBeTypeOf('function');
    expect(methodOf(client), 'the client has its method').toBeTypeOf('function');

    const came = await stop!(visit).then(
      () => 'answered',
      (error: { status?: number; serviceCode?: string }) => `${error.status} ${error.serviceCode}`,
    );

    const kind = operations[id]?.kind;
    if (kind !== 'url')
      expect(requests.map((record) => [record.operation, record.client])).toContainEqual([id, client]);
    expect(came).toBe('answered');
    expect(servedOperations.has(id)).toBe(true);
    expect(emulator.served.get(id) ?? 0).toBeGreaterThan(before);
  });
});

test('every client method calls one operation, and every operation has one client method', () => {
  const methods = Object.values(operations).map(({ client, path, method }) => `${client} ${method} ${path}`);

  expect(new Set(methods).size).toBe(methods.length);
  expect(specifiedOperations.filter(({ id }) => !tour[id]).map(({ id }) => id)).toEqual([]);
  expect(specifiedOperations).toHaveLength(101);
});

test('the emulator serves all 101 operations in the specification and all extensions', () => {
  expect(specifiedOperations.filter(({ id }) => servedOperations.has(id))).toHaveLength(101);
  expect(Object.keys(operations).filter((id) => !servedOperations.has(id))).toEqual([]);
});
