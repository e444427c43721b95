import { userManagement as api } from '../../../service/authentication.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { magicAuthInEvent } from '../../../service/events/data.js';
import { magicAuths as codes } from '../../../service/magic-auth.js';
import { passwordResets as resets } from '../../../service/password-reset.js';
import { json } from '../../http/answer.js';
import type { RoomPart } from '../../http/router.js';
import { users } from '../../rooms/users/records.js';
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
    router.on(api.sendMagicAuth, ({ world, body }) =>
      json(200, project(world.codec, magicAuth, sendMagicAuth(world, body.email))),
    );

    router.on(codes.create, ({ world, body }) => createMagicAuth(world, body.email));

    router.on(codes.get, ({ world, params }) => world.of(magicAuths).get(params.id));

    router.on(api.sendPasswordReset, ({ world, body }) => {
      sendPasswordReset(world, body.email, body.passwordResetUrl);
    });

    router.on(resets.create, ({ world, body }) => passwordResetView(world, createPasswordReset(world, body.email)));

    router.on(resets.get, ({ world, params }) => passwordResetView(world, world.of(passwordResets).get(params.id)));

    router.on(api.confirmPasswordReset, async ({ world, body }) => ({
      user: await confirmPasswordReset(world, body.token, body.newPassword),
    }));
  },

  start(world) {
    world.of(users).onDelete(({ id }) => {
      world.of(passwordResets).deleteWhere('userId', id);
      world.of(magicAuths).deleteWhere('userId', id);
    });
  },
};
