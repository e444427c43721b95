import { invitations as api } from '../../../service/invitations.js';
import type { RoomPart } from '../../http/router.js';
import { emailKeyOf } from '../../store/email-key.js';
import { notFound } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import { organizations } from '../organizations/records.js';
import { users } from '../users/records.js';
import {
  acceptInvitation,
  deleteInvitationsInto,
  deleteInvitationsTo,
  invitations,
  invitationView,
  revokeInvitation,
  sendInvitation,
} from './records.js';

export const invitationRoutes: RoomPart = {
  routes(router) {
    router.on(api.get, ({ memory, params }) => invitationView(memory, memory.of(invitations).get(params.id)));

    router.list(api.list, ({ memory, query: { email, organizationId }, list }) => {
      const emailKey = email === undefined ? undefined : emailKeyOf(email);
      const page = memory.of(invitations).page(list, { emailKey, organizationId });
      return mapPage(page, (invitation) => invitationView(memory, invitation));
    });

    router.on(api.send, ({ memory, body }) => invitationView(memory, sendInvitation(memory, body)));

    router.on(api.revoke, ({ memory, params }) => invitationView(memory, revokeInvitation(memory, params.id)));

    router.on(api.findByToken, ({ memory, params }) => {
      const invitation = memory.of(invitations).by('token', params.token);
      // The token may belong to another user, so keep it out of the message.
      if (!invitation) throw notFound('invitation', '…', 'token');
      return invitationView(memory, invitation);
    });

    router.on(api.accept, ({ memory, params }) => invitationView(memory, acceptInvitation(memory, params.id)));
  },

  start(memory) {
    memory.onDelete(users, (user, memory) => deleteInvitationsTo(memory, user));
    memory.onDelete(organizations, ({ id }, memory) => deleteInvitationsInto(memory, id));
  },
};
