import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { addMembership, memberships, type NewMembership, newMembership } from './records.js';

/** Memberships of users in organizations. */
export const membershipsSection = section({
  name: 'memberships',
  collection: memberships,
  entry: ref<NewMembership>(newMembership),
  plant: addMembership,
});
