import { userManagement as api } from '../../service/authentication.js';
import { descriptorOf } from '../../service/describe/operation.js';
import { magicAuthInEvent } from '../../service/event-data.js';
import { json } from '../answer.js';
import type { Room } from '../router.js';
import { sendMagicAuth } from '../state/magic-auth.js';
import { confirmPasswordReset, sendPasswordReset } from '../state/password-resets.js';

/** A code's record without the code: what the service answers here is not described. */
const magicAuth = descriptorOf(magicAuthInEvent);

export const authenticationRoom: Room = {
  routes(router) {
    router.on(api.sendMagicAuth, ({ world, body }) =>
      json(200, world.codec.project(magicAuth, sendMagicAuth(world, body.email))),
    );

    router.on(api.sendPasswordReset, ({ world, body }) => {
      sendPasswordReset(world, body.email, body.passwordResetUrl);
    });

    router.on(api.confirmPasswordReset, async ({ world, body }) => ({
      user: await confirmPasswordReset(world, body.token, body.newPassword),
    }));
  },
};
