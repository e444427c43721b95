import { userManagement as api } from '../../../service/authentication.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { magicAuthInEvent } from '../../../service/events/data.js';
import { magicAuths as codes } from '../../../service/magic-auth.js';
import { passwordResets as resets } from '../../../service/password-reset.js';
import { json } from '../../http/answer.js';
import type { RoomPart } from '../../http/router.js';
import { createMagicAuth, magicAuths, sendMagicAuth } from './magic-auth.js';
import {
  confirmPasswordReset,
  createPasswordReset,
  passwordResets,
  passwordResetView,
  sendPasswordReset,
} from './password-resets.js';

/** The record without the code. The specification does not describe this response. */
const magicAuth = descriptorOf(magicAuthInEvent);

export const codeRoutes: RoomPart = {
  routes(router) {
    router.on(api.sendMagicAuth, ({ memory, body }) =>
      json(200, project(memory.codec, magicAuth, sendMagicAuth(memory, body.email))),
    );

    router.on(codes.create, ({ memory, body }) => createMagicAuth(memory, body.email, body.invitationToken));

    router.on(codes.get, ({ memory, params }) => memory.of(magicAuths).get(params.id));

    router.on(api.sendPasswordReset, ({ memory, body }) => {
      sendPasswordReset(memory, body.email, body.passwordResetUrl);
    });

    router.on(resets.create, ({ memory, body }) => passwordResetView(memory, createPasswordReset(memory, body.email)));

    router.on(resets.get, ({ memory, params }) => passwordResetView(memory, memory.of(passwordResets).get(params.id)));

    router.on(api.confirmPasswordReset, ({ memory, body }) => ({
      user: confirmPasswordReset(memory, body.token, body.newPassword),
    }));
  },
};
