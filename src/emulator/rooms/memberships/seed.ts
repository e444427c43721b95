import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { addMembership, memberships, type NewMembership, newMembership } from './records.js';

export const membershipsSection = section({
  name: 'memberships',
  collection: memberships,
  entry: ref<NewMembership>(newMembership),
  plant: addMembership,
  // One role is easier to read without a list.
  exportedFields: (_, { roleSlugs: [roleSlug, ...others] }) =>
    others.length === 0 ? { roleSlug, roleSlugs: undefined } : {},
});
