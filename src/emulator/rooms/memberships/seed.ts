import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { addMembership, memberships, type NewMembership, newMembership } from './records.js';

/** Memberships of users in organizations. */
export const membershipsSection = section({
  name: 'memberships',
  noun: 'organization membership',
  refersTo: { userId: 'user', organizationId: 'organization' },
  entry: ref<NewMembership>(newMembership),
  plant: addMembership,
  export: (memory) => memory.of(memberships).values(),
});
