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
    router.on(api.get, ({ world, params }) => invitationView(world, world.of(invitations).get(params.id)));

    router.list(api.list, ({ world, query: { email, organizationId }, list }) => {
      const emailKey = email === undefined ? undefined : emailKeyOf(email);
      const page = world.of(invitations).page(list, { emailKey, organizationId });
      return mapPage(page, (invitation) => invitationView(world, invitation));
    });

    router.on(api.send, ({ world, body }) => invitationView(world, sendInvitation(world, body)));

    router.on(api.revoke, ({ world, params }) => invitationView(world, revokeInvitation(world, params.id)));

    router.on(api.findByToken, ({ world, params }) => {
      const invitation = world.of(invitations).by('token', params.token);
      // The token may belong to another user, so keep it out of the message.
      if (!invitation) throw notFound('invitation', '…', 'token');
      return invitationView(world, invitation);
    });

    router.on(api.accept, ({ world, params }) => invitationView(world, acceptInvitation(world, params.id)));
  },

  start(world) {
    world.of(users).onDelete((user) => deleteInvitationsTo(world, user));
    world.of(organizations).onDelete(({ id }) => deleteInvitationsInto(world, id));
  },
};
