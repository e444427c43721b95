import { ConflictError, ConnectionError, NotFoundError, RateLimitError, UnprocessableError } from 'sallyport';
import { expect, test, vi } from 'vitest';
import { type FaultyService, faulty } from '../faulty.js';
import { failureOf } from '../server.js';

// What says why a call failed is loaded when one fails. A page that is offline, or older than what its server has, cannot load it.
vi.mock('../../src/transport/failed-call.js', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

const get = async ({ client }: FaultyService) =>
  (await failureOf(client({ maxRetries: 0 }).organizations.getOrganization('org_01'))) as Error;

test.each([
  [404, NotFoundError, { status: 404, serviceCode: 'entity_not_found', code: 'not_found' }],
  [409, ConflictError, { status: 409, route: '/organizations/:id', method: 'GET', attempts: 1 }],
  [422, UnprocessableError, { errors: [], body: { code: 'entity_not_found' } }],
  [429, RateLimitError, { retryAfterMs: 2_000 }],
])(
  'a refusal with status %i is an error of its class where the words for it are missing',
  async (status, type, fields) => {
    const service = await faulty({ status, code: 'entity_not_found', retryAfterSeconds: 2 });

    const error = await get(service);
    const [request] = await service.emulator.requests.list();

    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ ...fields, requestId: request?.id });
    expect(error.message).toBe(
      `organizations.getOrganization was refused (GET /organizations/:id, status ${status}). The part of this package that explains it could not be loaded.`,
    );
  },
);

test('a call without an answer is a ConnectionError where the words for it are missing', async () => {
  const service = await faulty();
  const { host } = new URL(service.emulator.url);
  await service.emulator.close();

  const error = await get(service);

  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toBe(
    `organizations.getOrganization got no answer from ${host} (GET /organizations/:id, tried once). The part of this package that explains it could not be loaded. Check the network.`,
  );
});

test('a success needs none of it', async () => {
  const { client } = await faulty();

  const { name } = await client().organizations.getOrganization('org_01');

  expect(name).toBe('Acme');
});
