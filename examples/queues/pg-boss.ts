// Add one pg-boss job for each event, even if the event arrives again.

import { createHash } from 'node:crypto';
import type { Event } from 'sallyport';

/** A `PgBoss` that was started. */
interface Boss {
  send(queue: string, data: Event, options: object): Promise<unknown>;
}

// The service keeps events for 30 days.
const keepSeconds = 35 * 86_400;

export const sendTo = (boss: Boss, queue: string) => (event: Event) =>
  boss.send(queue, event, {
    // A UUID is 32 hexadecimal digits.
    id: createHash('sha256').update(event.id).digest('hex').slice(0, 32),
    retentionSeconds: keepSeconds,
    deleteAfterSeconds: keepSeconds,
  });
