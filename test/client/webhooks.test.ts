import { expect, test } from 'vitest';
import { Webhooks } from '../../src/client/webhooks.js';
import { recorded } from './sent.js';

const endpoint = {
  object: 'webhook_endpoint',
  id: 'we_01',
  endpoint_url: 'https://app.acme.test/webhooks',
  secret: 'whsec_0123456789',
  status: 'enabled',
  events: ['user.created'],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

test('a webhook endpoint is created with its address and events, and answers with its secret', async () => {
  const { transport, sent } = recorded(endpoint);

  const created = await new Webhooks(transport).createWebhookEndpoint({
    endpointUrl: 'https://app.acme.test/webhooks',
    events: ['user.created', 'an.event.of.tomorrow'],
  });

  expect(sent[0]).toMatchObject({
    method: 'POST',
    path: '/webhook_endpoints',
    body: { endpoint_url: 'https://app.acme.test/webhooks', events: ['user.created', 'an.event.of.tomorrow'] },
  });
  expect(created.secret).toBe('whsec_0123456789');
});

test('a change of a webhook endpoint names it in the path and sends only what changes', async () => {
  const { transport, sent } = recorded({ ...endpoint, status: 'disabled' });

  await new Webhooks(transport).updateWebhookEndpoint({ id: 'we_01', status: 'disabled' });

  expect(sent[0]).toMatchObject({ method: 'PATCH', path: '/webhook_endpoints/we_01', body: { status: 'disabled' } });
  expect(sent[0]!.body).toEqual({ status: 'disabled' });
});

test('deleting a webhook endpoint answers nothing', async () => {
  const { transport, sent } = recorded();

  const answer = await new Webhooks(transport).deleteWebhookEndpoint({ id: 'we_01' });

  expect(answer).toBeUndefined();
  expect(sent[0]).toMatchObject({ method: 'DELETE', path: '/webhook_endpoints/we_01' });
});

test('a forgotten argument is refused by name before anything is sent', async () => {
  const { transport, sent } = recorded(endpoint);

  // @ts-expect-error the argument is missing
  const call = new Webhooks(transport).deleteWebhookEndpoint();

  await expect(call).rejects.toMatchObject({ code: 'invalid_argument', argument: 'id' });
  expect(sent).toEqual([]);
});
