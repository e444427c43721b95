import { describe, expect, test } from 'vitest';
import { isSubscribed } from '../../../../src/emulator/rooms/webhooks/records.js';
import { stage } from '../../../stage.js';

const endpointUrl = 'https://app.acme.test/webhooks';

describe('a webhook endpoint', () => {
  test('has the fields defined in the specification, including the secret', async () => {
    const { send } = await stage();

    const { status, body } = await send('POST /webhook_endpoints', {
      endpoint_url: endpointUrl,
      events: ['user.created', 'an.event.of.tomorrow', 'user.created'],
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'webhook_endpoint',
      id: expect.stringMatching(/^we_[0-9A-Z]{26}$/),
      endpoint_url: endpointUrl,
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{32}$/),
      status: 'enabled',
      events: ['user.created', 'an.event.of.tomorrow'],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('is created with status 201 and deleted with status 204 in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });

    const { status, body } = await send('POST /webhook_endpoints', { endpoint_url: endpointUrl, events: [] });

    expect(status).toBe(201);
    expect((await send(`DELETE /webhook_endpoints/${body.id}`)).status).toBe(204);
  });

  test.each<[string, unknown, string, string]>([
    ['without a URL', { events: [] }, 'endpoint_url', 'required'],
    ['without the events field', { endpoint_url: endpointUrl }, 'events', 'required'],
    ['with an invalid URL', { endpoint_url: 'app.acme.test', events: [] }, 'endpoint_url', 'invalid_format'],
    ['with an FTP URL', { endpoint_url: 'ftp://acme.test/', events: [] }, 'endpoint_url', 'invalid_format'],
    [
      'with a javascript URL',
      { endpoint_url: 'javascript://acme.test/', events: [] },
      'endpoint_url',
      'invalid_format',
    ],
    [
      'with credentials in the URL',
      { endpoint_url: 'https://me:pw@acme.test/', events: [] },
      'endpoint_url',
      'invalid_format',
    ],
    ['with an invalid event type', { endpoint_url: endpointUrl, events: ['user'] }, 'events.0', 'invalid_value'],
    [
      'with a pattern of event types',
      { endpoint_url: endpointUrl, events: ['user.created', 'dsync.*'] },
      'events.1',
      'invalid_value',
    ],
    [
      'with an event type that is never delivered',
      { endpoint_url: endpointUrl, events: ['vault.data.read'] },
      'events.0',
      'invalid_value',
    ],
  ])('%s is rejected', async (_what, body, field, code) => {
    const { send } = await stage();

    expect(await send('POST /webhook_endpoints', body)).toMatchObject({
      status: 422,
      body: { code: 'validation_error', errors: [{ field, code }] },
    });
    expect((await send('GET /webhook_endpoints')).body.data).toEqual([]);
  });

  test('cannot have the URL of another endpoint, even in a different spelling', async () => {
    const { send } = await stage();
    await send('POST /webhook_endpoints', { endpoint_url: endpointUrl, events: [] });

    const second = await send('POST /webhook_endpoints', {
      endpoint_url: 'https://APP.acme.test:443/webhooks',
      events: [],
    });

    expect(second).toMatchObject({ status: 409, body: { code: 'duplicate_endpoint' } });
    expect((await send('POST /webhook_endpoints', { endpoint_url: `${endpointUrl}/2`, events: [] })).status).toBe(200);
  });

  test('keeps the fields that an update omits', async () => {
    const { emulator, send } = await stage();
    const { body } = await send('POST /webhook_endpoints', { endpoint_url: endpointUrl, events: ['user.created'] });
    await emulator.clock.advance('1h');

    const disabled = await send(`PATCH /webhook_endpoints/${body.id}`, { status: 'disabled' });
    const moved = await send(`PATCH /webhook_endpoints/${body.id}`, {
      endpoint_url: 'http://127.0.0.1:9/',
      events: [],
    });

    expect(disabled.body).toEqual({ ...body, status: 'disabled', updated_at: '2026-01-01T01:00:00.000Z' });
    expect(moved.body).toEqual({
      ...body,
      status: 'disabled',
      endpoint_url: 'http://127.0.0.1:9/',
      events: [],
      updated_at: '2026-01-01T01:00:00.000Z',
    });
  });

  test("can be updated with its own URL, but not with another endpoint's URL", async () => {
    const { send } = await stage();
    const { body } = await send('POST /webhook_endpoints', { endpoint_url: endpointUrl, events: [] });
    await send('POST /webhook_endpoints', { endpoint_url: `${endpointUrl}/2`, events: [] });
    const change = (fields: unknown) => send(`PATCH /webhook_endpoints/${body.id}`, fields);

    expect((await change({ endpoint_url: endpointUrl })).status).toBe(200);
    expect(await change({ endpoint_url: `${endpointUrl}/2` })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_endpoint' },
    });
    expect((await change({ status: 'asleep' })).body.errors).toMatchObject([{ field: 'status' }]);
    expect((await change({ events: ['*'] })).body.errors).toMatchObject([{ field: 'events.0' }]);
  });

  test('is no longer listed after it is deleted', async () => {
    const { send } = await stage();
    const { body } = await send('POST /webhook_endpoints', { endpoint_url: endpointUrl, events: [] });
    await send('POST /webhook_endpoints', { endpoint_url: `${endpointUrl}/2`, events: [] });

    const deleted = await send(`DELETE /webhook_endpoints/${body.id}`);

    expect(deleted).toMatchObject({ status: 200, body: '' });
    const { data } = (await send('GET /webhook_endpoints')).body;
    expect(data.map(({ endpoint_url }: { endpoint_url: string }) => endpoint_url)).toEqual([`${endpointUrl}/2`]);
    expect((await send(`DELETE /webhook_endpoints/${body.id}`)).status).toBe(404);
    expect((await send('POST /webhook_endpoints', { endpoint_url: endpointUrl, events: [] })).status).toBe(200);
  });
});

test('a webhook endpoint receives events of the types it lists, or of all deliverable types by default', () => {
  const endpoint = { id: 'we_1', endpointUrl, href: endpointUrl, secret: 'whsec_1', createdAt: '', updatedAt: '' };
  const some = { ...endpoint, status: 'enabled', events: ['user.created'] };
  const all = { ...some, events: [] };

  expect(['user.created', 'user.deleted'].map((event) => isSubscribed(some, event))).toEqual([true, false]);
  expect(['user.created', 'an.event.of.tomorrow'].map((event) => isSubscribed(all, event))).toEqual([true, true]);
  expect(['authentication.mfa_failed', 'vault.data.read'].map((event) => isSubscribed(all, event))).toEqual([
    false,
    false,
  ]);
  expect(isSubscribed({ ...all, status: 'disabled' }, 'user.created')).toBe(false);
});
