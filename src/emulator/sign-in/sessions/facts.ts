import { timestamp } from '../../../service/describe/define.js';
import { session } from '../../../service/sessions.js';
import type { Facts } from '../../world/facts.js';
import { type SessionRecord, sessions, statusOf } from './sessions.js';

export const sessionFacts: Facts<SessionRecord> = {
  model: session,
  all: (memory) => memory.of(sessions),
  columns: [
    ['createdAt', 'Signed in'],
    'method',
    'organizationId',
    { label: 'Status', of: (record, memory) => statusOf(memory, record) },
    { label: 'Expires', of: ({ endedAt, expiresAt }) => endedAt ?? expiresAt, as: timestamp },
    'id',
  ],
  empty: 'No sessions.',
  actions: [
    { control: 'endSession', label: 'End', when: (record, memory) => statusOf(memory, record) === 'active' },
    { control: 'expireSession', label: 'Expire', when: (record, memory) => statusOf(memory, record) === 'active' },
  ],
};
