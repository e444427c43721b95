import { randomUUID } from 'node:crypto';
import { dialects } from '../../emulator/command-line.js';
import { compared, type Probe } from './finding.js';
import type { Stage } from './stage.js';

/** A second request with the key of the first returns the same organization. Otherwise there are two, and both are removed. */
export const idempotency = ({ courier, mark }: Stage): Probe => ({
  says: 'A request with the idempotency key of an earlier one returns the same response',
  async run() {
    const name = `${mark} twice`;
    const sent = { body: { name }, idempotencyKey: randomUUID() };
    const [first, second] = [
      await courier.make('organizations.create', name, sent),
      await courier.make('organizations.create', name, sent),
    ];
    return first.id === second.id ? compared(true, 'the same organization') : compared(false, 'another organization');
  },
});

/** List the memberships of the run's organization. */
export const membershipStatuses = (stage: Stage): Probe => {
  const { courier } = stage;
  const isPublic = courier.settings.dialect === dialects.workos;
  return {
    says: `The list of memberships has ${isPublic ? 'only active ones' : 'all statuses'} by default`,
    async run() {
      const statusesIn = async (query: Readonly<Record<string, string>>): Promise<string[]> => {
        const { data = [] } = await courier.expect('organizationMemberships.list', {
          query: { organization_id: stage.organizationId, ...query },
        });
        return [...new Set([data].flat().map((one) => String(Object(one).status)))].sort();
      };
      const byDefault = await statusesIn({});
      const all = await statusesIn({ statuses: 'active,inactive,pending' });
      const expected = isPublic ? ['active'] : all;
      return compared(
        `${byDefault}` === `${expected}` && all.includes('active'),
        `by default ${byDefault.join(', ') || 'none'}; with all statuses ${all.join(', ') || 'none'}`,
      );
    },
  };
};

const eventWithinMs = 30_000;

/** Look for the event of the new user several times. */
export const userCreated = (stage: Stage): Probe => ({
  says: 'The event user.created is in the list of events within 30 seconds',
  async run() {
    const { courier, userId, userCreatedAt } = stage;
    const { now, sleep } = courier.clock;
    const start = now();
    const query = {
      events: 'user.created',
      limit: '100',
      range_start: new Date(Date.parse(userCreatedAt) - 1_000).toISOString(),
    };
    for (let waited = 0; ; waited = now() - start) {
      const { data = [] } = await courier.expect('events.list', { query });
      if ([data].flat().some((event) => Object(Object(event).data).id === userId))
        return compared(true, `it came within ${Math.ceil(waited / 1_000)} seconds`);
      if (waited >= eventWithinMs) return compared(false, 'it did not come');
      await sleep(5_000);
      courier.clock.signal.throwIfAborted();
    }
  },
});
