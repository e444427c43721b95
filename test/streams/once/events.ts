import type { Event } from 'sallyport';

/** An event as the client gives it, that happened so many seconds after the beginning of 2026. */
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

/** An event about a user. */
export const userEvent = (second: number, verb: 'created' | 'updated' | 'deleted', email: string, user = 'user_ada') =>
  eventAt(second, `user.${verb}`, { object: 'user', id: user, email });
