import { describe, expect, test } from 'vitest';
import { nearest } from '../../../src/errors/nearest.js';
import { stage } from '../../stage.js';

const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);
const fields = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`statu${at}`, 1]));

describe('an error response lists at most 100 problems', () => {
  test('for a request body that is a list', async () => {
    const { send } = await stage();

    const hundred = await send('POST /fga/v1/warrants', zeros(100));
    const more = await send('POST /fga/v1/warrants', zeros(300_000));

    expect(hundred.status).toBe(422);
    expect(hundred.body.errors).toHaveLength(100);
    expect(hundred.body.message).toMatch(/99 must be an object\.$/);
    expect(more.status).toBe(422);
    expect(more.body.errors).toEqual(hundred.body.errors);
    expect(more.body.message).toMatch(/99 must be an object; and more\.$/);
  });

  test('for a list inside the request body', async () => {
    const { send } = await stage();

    const { status, body } = await send('POST /organizations', { name: 'Acme', domain_data: zeros(200_000) });

    expect(status).toBe(422);
    expect(body.errors).toHaveLength(100);
    expect(body.message).toMatch(/; and more\.$/);
  });

  test('for a control request, with suggestions for the first ten', async () => {
    const { send } = await stage();

    const { status, body } = await send('POST /_emulator/faults', fields(60_000));

    expect(status).toBe(422);
    expect(body.errors).toHaveLength(100);
    expect(body.errors[0].message).toBe('is not a known field; did you mean status?');
    expect(body.errors.filter(({ message }: { message: string }) => message.includes('did you mean'))).toHaveLength(10);
    expect(body.message).toMatch(/; and more\.$/);
  });

  test('for an audit log event', async () => {
    const { send } = await stage();

    const { status, body } = await send('POST /audit_logs/events', {
      organization_id: 'org_acme',
      event: {
        action: 'a.b',
        occurred_at: '2026-01-01T00:00:00Z',
        actor: { type: 'user', id: 'ada' },
        context: { location: '::1' },
        targets: zeros(200_000),
      },
    });

    expect(status).toBe(400);
    expect(body.errors).toHaveLength(100);
    expect(body.errors[99]).toMatchObject({ instancePath: '/targets/99' });
    expect(body.message).toMatch(/; and more\.$/);
  });
});

test('an unknown name with more than 100 characters gets no suggestion', () => {
  expect(nearest(`status${'_'.repeat(94)}`, ['status'])).toBe('status');
  expect(nearest(`status${'_'.repeat(95)}`, ['status'])).toBeUndefined();
});
