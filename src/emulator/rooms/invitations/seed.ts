import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { addInvitation, daysUntil, type NewInvitation, newInvitation, waitingInvitations } from './records.js';

/** Invitations that wait; no mail was sent. */
export const invitationsSection = section({
  name: 'invitations',
  noun: 'invitation',
  refersTo: { inviterUserId: 'user', organizationId: 'organization' },
  entry: ref<NewInvitation>(newInvitation),
  plant: addInvitation,
  export: waitingInvitations,
  exportedFields: (world, { expiresAt }) => ({ expiresInDays: daysUntil(world, expiresAt) }),
});
