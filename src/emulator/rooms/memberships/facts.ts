import { organizationMembership } from '../../../service/memberships.js';
import type { Facts } from '../../world/facts.js';
import { type MembershipRecord, memberships } from './records.js';

export const membershipFacts: Facts<MembershipRecord> = {
  model: organizationMembership,
  all: (memory) => memory.of(memberships),
  columns: ['userId', 'organizationId', ['roleSlugs', 'Role'], 'status'],
  empty: 'No memberships.',
};
