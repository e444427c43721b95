import type { Event, EventOf } from 'sallyport';
import { on } from 'sallyport/streams';
import { describe, expect, expectTypeOf, test } from 'vitest';

const eventOf = (event: string): Event =>
  ({ object: 'event', id: `event_${event}`, event, data: { id: 'x' }, createdAt: '2026-01-01T00:00:00.000Z' }) as never;

describe('on()', () => {
  test('calls the handler of the event type with the given arguments', async () => {
    const calls: unknown[] = [];
    const handle = on<{ attempt: number }>({
      'user.created': (event, { attempt }) => {
        expectTypeOf(event).toEqualTypeOf<EventOf<'user.created'>>();
        calls.push([event.event, attempt]);
      },
      'user.deleted': () => calls.push('deleted'),
    });

    await handle(eventOf('user.created'), { attempt: 2 });
    await handle(eventOf('user.updated'), { attempt: 1 });

    expect(calls).toEqual([['user.created', 2]]);
    expect(handle.events).toEqual(['user.created', 'user.deleted']);
  });

  test('passes events without a handler to the unhandled function, and requests all event types', async () => {
    const others: string[] = [];
    const handle = on({ 'user.created': () => {}, unhandled: (event) => others.push(event.event) });

    await handle(eventOf('user.created'), {});
    await handle(eventOf('of.tomorrow'), {});

    expect(others).toEqual(['of.tomorrow']);
    expect(handle.events).toBeUndefined();
  });

  test('rejects with the error of an asynchronous handler', async () => {
    const handle = on({ 'user.created': () => Promise.reject(new Error('no')) });

    await expect(handle(eventOf('user.created'), {})).rejects.toThrow('no');
  });

  test.each([[{}], [{ 'user.created': undefined }]])('rejects %o as handlers', (handlers) => {
    expect(() => on(handlers as never)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', argument: 'handlers' }),
    );
  });
});
