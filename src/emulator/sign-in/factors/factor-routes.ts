import { mfa as api } from '../../../service/mfa.js';
import { users } from '../../../service/users.js';
import type { RawInput, RoomPart } from '../../http/router.js';
import { users as records } from '../../rooms/users/records.js';
import { unprocessable } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import {
  challengeFactor,
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
    router.on(
      api.enrollFactor,
      async ({ memory, body: { type, issuer, user, phoneNumber }, raw }) => {
        const userId = ownerOf(raw);
        if (type === 'sms') {
          if (phoneNumber === undefined) throw missingFields('sms', ['phone_number']);
          return enrollmentView(memory, enrollSms(memory, { phoneNumber, userId }));
        }
        if (issuer === undefined || user === undefined)
          throw missingFields('totp', [
            ...(issuer === undefined ? ['totp_issuer'] : []),
            ...(user === undefined ? ['totp_user'] : []),
          ]);
        return enrollmentView(memory, await enrollTotp(memory, { issuer, user, userId }));
      },
      { reads: () => ['user_id'] },
    );

    router.on(api.challengeFactor, ({ memory, params, body }) =>
      challengeView(challengeFactor(memory, params.id, body.smsTemplate)),
    );

    router.on(api.verifyChallenge, async ({ memory, params, body }) => {
      const { challenge, valid } = await verifyChallenge(memory, params.id, body.code);
      return { challenge: challengeView(challenge), valid };
    });

    router.on(api.getFactor, ({ memory, params }) => factorView(memory, memory.of(factors).get(params.id)));

    router.on(api.deleteFactor, ({ memory, params }) => {
      memory.delete(factors, params.id);
    });

    router.list(users.listAuthFactors, ({ memory, params, list }) => {
      const { id } = memory.of(records).get(params.id);
      return mapPage(memory.of(factors).where('userId', id).page(list), (record) => factorView(memory, record));
    });

    router.on(users.enrollAuthFactor, async ({ memory, params, body }) => {
      const owner = memory.of(records).get(params.id);
      const { totpIssuer: issuer = teamName, totpUser: user = owner.email, totpSecret: secret } = body;
      const factor = await enrollTotp(memory, { issuer, user, userId: owner.id, secret });
      const challenge = challengeFactor(memory, factor.id);
      return {
        authenticationFactor: await enrollmentView(memory, factor),
        authenticationChallenge: challengeView(challenge),
      };
    });
  },
};

/**
 * Read the owner's id from `user_id`. Services accept this field, although the specification does not mention it.
 *
 * @throws {EmulatorRefusal} 422.
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
