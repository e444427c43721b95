import { email, optional, part } from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { users as api } from '../../../service/users.js';
import { viewsOf } from '../../http/render-cache.js';
import type { RawInput, RoomPart } from '../../http/router.js';
import { notFound, unprocessable } from '../../store/refusal.js';
import type { World } from '../../world/world.js';
import { authorizationView, authorizedApplications, revokeAuthorization } from './authorized-applications.js';
import { confirmEmailChange, sendEmailChange, sendVerification, verifyEmail } from './email-verification.js';
import { identities } from './identities.js';
import { emailChanges, emailVerifications } from './one-time-codes.js';
import { recognizeUser } from './recognize.js';
import { createUser, deleteUser, updateUser, users } from './records.js';

/** The email field of an update, which only some dialects accept. */
const emailUpdate = descriptorOf(part({ email: optional(email) }));

export const userRoutes: RoomPart = {
  routes(router) {
    router.on(api.get, ({ world, params }) => world.of(users).get(params.id));

    router.on(api.getByExternalId, ({ world, params }) => {
      const user = world.of(users).by('externalId', params.externalId);
      if (!user) throw notFound('user', params.externalId, 'external id');
      return user;
    });

    router.on(api.create, ({ world, body }) => createUser(world, body));

    router.on(api.update, ({ world, params, body, raw }) =>
      updateUser(world, params.id, { ...body, ...emailOf(world, raw) }),
    );

    router.on(api.delete, ({ world, params }) => deleteUser(world, params.id));

    router.on(api.listIdentities, ({ world, params }) => {
      const { id } = world.of(users).get(params.id);
      return world.of(identities).where('userId', id).values();
    });

    router.on(api.sendVerificationEmail, ({ world, params }) => ({ user: sendVerification(world, params.id) }));

    router.on(api.verifyEmail, ({ world, params, body }) => ({ user: verifyEmail(world, params.id, body.code) }));

    router.on(api.sendEmailChange, ({ world, params, body }) => {
      const { email: newEmail, expiresAt, createdAt } = sendEmailChange(world, params.id, body.newEmail);
      const user = world.of(users).get(params.id);
      return world.settings.dialect.extraResponseFields ? { user, newEmail, expiresAt, createdAt } : { user };
    });

    router.on(api.confirmEmailChange, ({ world, params, body }) => ({
      user: confirmEmailChange(world, params.id, body.code),
    }));

    router.list(api.listAuthorizedApplications, ({ world, params, list }) => {
      const { id } = world.of(users).get(params.userId);
      const page = world.of(authorizedApplications).where('userId', id).page(list);
      return viewsOf(page, authorizationView);
    });

    router.on(api.deleteAuthorizedApplication, ({ world, params }) =>
      revokeAuthorization(world, params.userId, params.applicationId),
    );
  },

  start(world) {
    world.events.recognizeBy((event, data) => recognizeUser(world, event, data));
    world.of(users).onDelete((user) => {
      world.of(identities).deleteWhere('userId', user.id);
      world.of(authorizedApplications).deleteWhere('userId', user.id);
      for (const codes of [emailVerifications, emailChanges]) world.of(codes).deleteWhere('userId', user.id);
    });
  },
};

/** Read the new address from an update, if the dialect accepts one. @throws {Refusal} 422 if it is not an address. */
function emailOf(world: World, { body }: RawInput): { readonly email?: string } {
  if (!world.settings.dialect.userEmailUpdate) return {};
  const result = world.parser.body(emailUpdate, { value: body, texts: false });
  if ('errors' in result) throw unprocessable(result.errors);
  // The parser has checked the shape.
  return result.value as { readonly email?: string };
}
