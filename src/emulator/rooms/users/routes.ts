import { email, optional, part } from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { users as api } from '../../../service/users.js';
import type { RawInput, RoomPart } from '../../http/router.js';
import { emailKeyOf } from '../../store/email-key.js';
import { notFound, unprocessable } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import type { Memory } from '../../world/memory.js';
import { authorizationView, authorizedApplications, revokeAuthorization } from './authorized-applications.js';
import { confirmEmailChange, sendEmailChange, sendVerification, verifyEmail } from './email-verification.js';
import { identities } from './identities.js';
import { recognizeUser } from './recognize.js';
import { createUser, deleteUser, updateUser, users } from './records.js';

/** The email field of an update, which only some dialects accept. */
const emailUpdate = descriptorOf(part({ email: optional(email) }));

export const userRoutes: RoomPart = {
  routes(router) {
    router.list(
      api.list,
      ({ memory, query, raw, list }) => {
        // `organization` is the old name of the filter.
        const organizationId = query.organizationId ?? (raw.query.get('organization') || undefined);
        const emailKey = query.email === undefined ? undefined : emailKeyOf(query.email);
        return memory.of(users).page(list, { emailKey, organizationIds: organizationId });
      },
      { reads: () => ['organization'] },
    );

    router.on(api.get, ({ memory, params }) => memory.of(users).get(params.id));

    router.on(api.getByExternalId, ({ memory, params }) => {
      const user = memory.of(users).by('externalId', params.externalId);
      if (!user) throw notFound('user', params.externalId, 'external id');
      return user;
    });

    router.on(api.create, ({ memory, body }) => createUser(memory, body));

    router.on(
      api.update,
      ({ memory, params, body, raw }) => updateUser(memory, params.id, { ...body, ...emailOf(memory, raw) }),
      { reads: ({ userEmailUpdate }) => (userEmailUpdate ? ['email'] : []) },
    );

    router.on(api.delete, ({ memory, params }) => deleteUser(memory, params.id));

    router.on(api.listIdentities, ({ memory, params }) => {
      const { id } = memory.of(users).get(params.id);
      return memory.of(identities).where('userId', id).values();
    });

    router.on(api.sendVerificationEmail, ({ memory, params }) => ({ user: sendVerification(memory, params.id) }));

    router.on(api.verifyEmail, ({ memory, params, body }) => ({ user: verifyEmail(memory, params.id, body.code) }));

    router.on(api.sendEmailChange, ({ memory, params, body }) => {
      const { email: newEmail, expiresAt, createdAt } = sendEmailChange(memory, params.id, body.newEmail);
      const user = memory.of(users).get(params.id);
      return memory.settings.dialect.extraResponseFields ? { user, newEmail, expiresAt, createdAt } : { user };
    });

    router.on(api.confirmEmailChange, ({ memory, params, body }) => ({
      user: confirmEmailChange(memory, params.id, body.code),
    }));

    router.list(api.listAuthorizedApplications, ({ memory, params, list }) => {
      const { id } = memory.of(users).get(params.userId);
      const page = memory.of(authorizedApplications).where('userId', id).page(list);
      return mapPage(page, (record) => authorizationView(memory, record));
    });

    router.on(api.deleteAuthorizedApplication, ({ memory, params }) =>
      revokeAuthorization(memory, params.userId, params.applicationId),
    );
  },

  start(memory) {
    memory.events.recognizeBy((event, data) => recognizeUser(memory, event, data));
  },
};

/** Read the new address from an update, if the dialect accepts one. @throws {EmulatorRefusal} 422 if it is not an address. */
function emailOf(memory: Memory, { body }: RawInput): { readonly email?: string } {
  if (!memory.settings.dialect.userEmailUpdate) return {};
  const result = memory.parser.body(emailUpdate, { value: body, texts: false });
  if ('errors' in result) throw unprocessable(result.errors);
  // The parser has checked the shape.
  return result.value as { readonly email?: string };
}
