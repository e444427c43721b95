import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { addInvitation, daysUntil, type NewInvitation, newInvitation, openInvitations } from './records.js';

/** Pending invitations. No mail is sent. */
export const invitationsSection = section({
  name: 'invitations',
  noun: 'invitation',
  refersTo: { inviterUserId: 'user', organizationId: 'organization' },
  entry: ref<NewInvitation>(newInvitation),
  plant: addInvitation,
  export: openInvitations,
  exportedFields: (memory, { expiresAt }) => ({ expiresInDays: daysUntil(memory, expiresAt) }),
});
