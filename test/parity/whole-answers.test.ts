import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/service/operations.js';
import { specifiedOperations } from '../spec/operations.js';
import { gapsIn, operationAt } from './gaps.js';
import { tour } from './tour.js';

// The client tolerates missing fields, so it would not notice if the emulator omitted some. This test reads the emulator's
// answers without the client.

/** Returns what each raw answer of a tour through the service lacks, by operation, and which operations answered. */
async function tourOf(dialect: 'spec' | 'workos') {
  const emulator = await createEmulator({
    seed: 'examples/company.yaml',
    clock: '2026-05-04T08:00:00.000Z',
    ids: 'tour',
    autoApprove: true,
    dialect,
  });
  const lacking = new Set<string>();
  const answered = new Set<string>();
  const look: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const operation = operationAt(dialect, request.method, new URL(request.url).pathname);
    const response = await emulator.fetch(request);
    if (!operation || !response.ok || !operation.io.returns) return response;
    answered.add(operation.id);
    for (const path of gapsIn(dialect, operation, await response.clone().json()))
      lacking.add(`${operation.id} ${path}`);
    return response;
  };
  const sallyport = new Sallyport({ ...emulator.credentials, dialect, fetch: look });
  const failures: string[] = [];
  for (const { id } of specifiedOperations)
    await tour[id]!({ sallyport, emulator, fetch: look }).catch((error) => failures.push(`${id}: ${error}`));
  const events = await sallyport.events.listEvents().toArray({ max: 10_000 });
  await emulator.close();
  return { lacking: [...lacking], answered, failures, types: new Set(events.map(({ event }) => event)) };
}

describe.each(['spec', 'workos'] as const)('in the %s dialect,', (dialect) => {
  test('every emulator response contains all required fields', async () => {
    const { lacking, answered, failures, types } = await tourOf(dialect);

    expect(failures).toEqual([]);
    expect(lacking).toEqual([]);
    expect(answered.size).toBeGreaterThan(70);
    expect(types.size).toBeGreaterThan(20);
  });
});

test('the check for required fields finds a missing field at every depth', () => {
  const { get, list } = { get: operations['organizations.get']!, list: operations['events.list']! };
  const organization = {
    object: 'organization',
    id: 'org_01',
    domains: [{ id: 'org_domain_01', domain: 'acme.test' }],
  };
  const event = { object: 'event', id: 'event_01', event: 'organization.deleted', data: organization };

  expect(gapsIn('spec', get, organization)).toEqual([
    'name',
    'allow_profiles_outside_organization',
    'domains.object',
    'created_at',
    'updated_at',
  ]);
  expect(gapsIn('spec', list, { data: [event] })).toEqual([
    'list_metadata',
    'data.data.name',
    'data.data.domains.object',
    'data.data.created_at',
    'data.data.updated_at',
    'data.created_at',
  ]);
});
