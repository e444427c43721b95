import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { addInvitation, type NewInvitation, newInvitation } from './records.js';

/** Invitations that wait; no mail was sent. */
export const invitationsSection = section({
  name: 'invitations',
  noun: 'invitation',
  refersTo: { inviterUserId: 'user', organizationId: 'organization' },
  entry: ref<NewInvitation>(newInvitation),
  plant: addInvitation,
});
