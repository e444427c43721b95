import { mfa as api } from '../../../service/mfa.js';
import { users } from '../../../service/users.js';
import { viewsOf } from '../../http/render-cache.js';
import type { RawInput, RoomPart } from '../../http/router.js';
import { users as records } from '../../rooms/users/records.js';
import { unprocessable } from '../../store/refusal.js';
import {
  challengeFactor,
  challenges,
  challengeView,
  enrollmentView,
  enrollSms,
  enrollTotp,
  factors,
  factorView,
  teamName,
  verifyChallenge,
} from './factors.js';

export const factorRoutes: RoomPart = {
  routes(router) {
    router.on(api.enrollFactor, async ({ world, body: { type, issuer, user, phoneNumber }, raw }) => {
      const userId = ownerOf(raw);
      if (type === 'sms') {
        if (phoneNumber === undefined) throw missingFields('sms', ['phone_number']);
        return enrollmentView(world, enrollSms(world, { phoneNumber, userId }));
      }
      if (issuer === undefined || user === undefined)
        throw missingFields('totp', [
          ...(issuer === undefined ? ['totp_issuer'] : []),
          ...(user === undefined ? ['totp_user'] : []),
        ]);
      return enrollmentView(world, await enrollTotp(world, { issuer, user, userId }));
    });

    router.on(api.challengeFactor, ({ world, params, body }) =>
      challengeView(challengeFactor(world, params.id, body.smsTemplate)),
    );

    router.on(api.verifyChallenge, async ({ world, params, body }) => {
      const { challenge, valid } = await verifyChallenge(world, params.id, body.code);
      return { challenge: challengeView(challenge), valid };
    });

    router.on(api.getFactor, ({ world, params }) => factorView(world, world.of(factors).get(params.id)));

    router.on(api.deleteFactor, ({ world, params }) => {
      world.of(factors).delete(params.id);
    });

    router.list(users.listAuthFactors, ({ world, params, list }) => {
      const { id } = world.of(records).get(params.id);
      return viewsOf(world.of(factors).where('userId', id).page(list), factorView);
    });

    router.on(users.enrollAuthFactor, async ({ world, params, body }) => {
      const owner = world.of(records).get(params.id);
      const { totpIssuer: issuer = teamName, totpUser: user = owner.email } = body;
      const factor = await enrollTotp(world, { issuer, user, userId: owner.id });
      const challenge = challengeFactor(world, factor.id);
      return {
        authenticationFactor: await enrollmentView(world, factor),
        authenticationChallenge: challengeView(challenge),
      };
    });
  },

  start(world) {
    world.of(records).onDelete(({ id }) => world.of(factors).deleteWhere('userId', id));
    world.of(factors).onDelete(({ id }) => world.of(challenges).deleteWhere('authenticationFactorId', id));
  },
};

/**
 * Read the owner's id from `user_id`. Services accept this field, although the specification does not mention it.
 *
 * @throws {Refusal} 422.
 */
function ownerOf({ body }: RawInput): string | undefined {
  const userId = typeof body === 'object' && body !== null && 'user_id' in body ? body.user_id : undefined;
  if (userId === undefined || typeof userId === 'string') return userId;
  throw unprocessable([{ field: 'user_id', code: 'invalid_type', message: 'must be a string' }]);
}

const missingFields = (type: string, fields: readonly string[]) =>
  unprocessable(
    fields.map((field) => ({ field, code: 'required', message: `is required for a factor of type ${type}` })),
  );
