import { ConflictError, ConnectionError, NotFoundError, RateLimitError, UnprocessableError } from 'sallyport';
import { expect, test, vi } from 'vitest';
import { clientOf, failureOf, serve } from '../server.js';

// What says why a call failed is loaded when one fails. A page that is offline, or older than what its server has, cannot load it.
vi.mock('../../src/transport/failed-call.js', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

const get = async (url: string) =>
  (await failureOf(clientOf({ url }, { maxRetries: 0 }).organizations.getOrganization('org_01'))) as Error;

test.each([
  [404, NotFoundError, { status: 404, serviceCode: 'entity_not_found', requestId: 'req_1', code: 'not_found' }],
  [409, ConflictError, { status: 409, route: '/organizations/:id', method: 'GET', attempts: 1 }],
  [422, UnprocessableError, { errors: [], body: { code: 'entity_not_found' } }],
  [429, RateLimitError, { retryAfterMs: 2_000 }],
])(
  'a refusal with status %i is an error of its class where the words for it are missing',
  async (status, type, fields) => {
    const headers = { 'x-request-id': 'req_1', 'retry-after': '2' };
    const { url } = await serve({ status, headers, body: { code: 'entity_not_found' } });

    const error = await get(url);

    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject(fields);
    expect(error.message).toBe(
      `organizations.getOrganization was refused (GET /organizations/:id, status ${status}). The part of this package that explains it could not be loaded.`,
    );
  },
);

test('a call without an answer is a ConnectionError where the words for it are missing', async () => {
  const server = await serve({});
  await server.close();

  const error = await get(server.url);

  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toBe(
    `organizations.getOrganization got no answer from ${new URL(server.url).host} (GET /organizations/:id, tried once). The part of this package that explains it could not be loaded. Check the network.`,
  );
});

test('a success needs none of it', async () => {
  const { url } = await serve({ body: { object: 'organization', id: 'org_01', name: 'Acme', domains: [] } });

  const { name } = await clientOf({ url }).organizations.getOrganization('org_01');

  expect(name).toBe('Acme');
});
