import type { Event } from 'sallyport';

/** Creates an event as the client returns it, some seconds after the beginning of 2026. */
export const eventAt = (
  second: number,
  type: string,
  data: object,
  id = `event_${`${second}`.padStart(4, '0')}`,
): Event =>
  ({
    object: 'event',
    id,
    event: type,
    data,
    createdAt: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(),
    context: null,
  }) as never;

/** Creates an event of a user. */
export const userEvent = (second: number, verb: 'created' | 'updated' | 'deleted', email: string, user = 'user_ada') =>
  eventAt(second, `user.${verb}`, { object: 'user', id: user, email });
