import { describe, expect, test } from 'vitest';
import { Webhooks } from '../../src/client/webhooks.js';
import { signWebhook } from '../../src/webhooks/index.js';
import { recorded } from './sent.js';

test('deleteWebhookEndpoint throws an error that names the argument if the id is missing', async () => {
  const { transport, sent } = recorded();

  // @ts-expect-error the argument is missing
  const call = new Webhooks(transport).deleteWebhookEndpoint();

  await expect(call).rejects.toMatchObject({ code: 'invalid_argument', argument: 'id' });
  expect(sent).toEqual([]);
});

describe('parseEvent', () => {
  const user = { object: 'user', id: 'user_01', email: 'ada@acme.test', first_name: 'Ada' };
  const delivered = { object: 'event', id: 'event_01', event: 'user.created', data: user };
  const text = JSON.stringify(delivered);
  const webhooks = new Webhooks(recorded().transport);

  test.each([
    ['a string', text],
    ['bytes', Buffer.from(text)],
    ['a buffer', new TextEncoder().encode(text).buffer],
    ['an object', delivered],
  ])('parses an event from %s', async (_, payload) => {
    const event = await webhooks.parseEvent(payload);

    expect(event.event === 'user.created' && event.data.firstName).toBe('Ada');
  });

  test('returns a problem that names the field if the data does not match the event type', async () => {
    const event = await webhooks.parseEvent({ ...delivered, data: { ...user, email: null } });

    expect(event).toMatchObject({ id: 'event_01', event: 'unknown', data: { ...user, email: null } });
    expect(event.problem).toEqual({
      event: 'user.created',
      message: 'The field data.email must be a string, but is null',
    });
  });

  test.each<[string, unknown, string, string]>([
    ['a string that is not JSON', 'sk_test_secret', 'payload_malformed', 'The payload must be a JSON object in UTF-8.'],
    ['a list', '[]', 'payload_malformed', 'The payload must be a JSON object in UTF-8.'],
    ['undefined', undefined, 'payload_malformed', 'The payload must be a JSON object in UTF-8.'],
    ['an empty object', {}, 'payload_unexpected', 'The field id must be a string, but is missing.'],
    [
      'a user passed in place of an event',
      user,
      'payload_unexpected',
      'The field object must be "event", but is another string.',
    ],
  ])('rejects %s', async (_, payload, reason, message) => {
    const refusal = await webhooks.parseEvent(payload as string).catch((error: unknown) => error);

    expect(refusal).toMatchObject({ code: 'webhook_verification_failed', reason });
    expect((refusal as Error).message).toContain(message);
    expect((refusal as Error).message).not.toContain('secret');
  });
});

test('a delivery with data that does not match the event type is parsed as an unknown event', async () => {
  const secret = 'whsec_0123456789';
  const data = { object: 'user', id: 'user_01', email: null };
  const payload = JSON.stringify({ object: 'event', id: 'event_01', event: 'user.created', data });
  const sigHeader = await signWebhook({ payload, secret, timestamp: Date.now() });

  const event = await new Webhooks(recorded().transport).constructEvent({ payload, sigHeader, secret });

  expect(event).toMatchObject({ event: 'unknown', data, problem: { event: 'user.created' } });
});
