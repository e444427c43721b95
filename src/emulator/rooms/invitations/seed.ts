import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import {
  addInvitation,
  daysUntil,
  invitations,
  type NewInvitation,
  newInvitation,
  openInvitations,
} from './records.js';

export const invitationsSection = section({
  name: 'invitations',
  collection: invitations,
  entry: ref<NewInvitation>(newInvitation),
  plant: addInvitation,
  export: openInvitations,
  exportedFields: (memory, { expiresAt }) => ({ expiresInDays: daysUntil(memory, expiresAt) }),
});
