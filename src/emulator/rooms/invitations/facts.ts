import { invitation } from '../../../service/invitations.js';
import type { Facts } from '../../world/facts.js';
import { type InvitationRecord, invitations } from './records.js';

export const invitationFacts: Facts<InvitationRecord> = {
  model: invitation,
  all: (memory) => memory.of(invitations),
  columns: [['email', 'To'], 'state', 'expiresAt'],
  empty: 'No invitations.',
};
