import type {
  AuthenticationChallenge,
  AuthenticationFactor,
  AuthenticationFactorWithSecrets,
  ChallengeVerification,
  ChallengeVerify,
  FactorChallenge,
  FactorEnroll,
} from '../service/mfa.js';
import type { Call } from '../transport/call.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/options.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('mfa');

/** Second factors, also for users that your application keeps itself. */
export class Mfa extends Namespace {
  /**
   * Enroll a second factor. For `totp`, show the QR code to the user; the secrets are returned only this once. Keep
   * the factor's id with your user: the factor belongs to nobody in the service. For users of the service call
   * `userManagement.enrollAuthFactor`.
   *
   * @throws {UnprocessableError} The phone number is malformed, or `issuer` or `user` is blank or too long for a QR
   * code.
   * @example
   * const factor = await sallyport.mfa.enrollFactor({ type: 'totp', issuer: 'Acme', user: 'ada@acme.test' });
   * const image = factor.totp?.qrCode;
   */
  enrollFactor(payload: FactorEnroll, options?: RequestOptions): Call<AuthenticationFactorWithSecrets> {
    return this.send(api('enrollFactor'), { body: payload }, options);
  }

  /**
   * Challenge a factor; pass the user's code to `verifyChallenge`. For an `sms` factor this sends a message with the
   * code: your `smsTemplate`, in which `{{code}}` stands for the code, or a standard text.
   *
   * @throws {NotFoundError} No factor has this id.
   * @throws {UnprocessableError} `smsTemplate` has no place for the code.
   */
  challengeFactor(
    payload: FactorChallenge & {
      /** Id of the factor to challenge. */
      readonly authenticationFactorId: string;
    },
    options?: RequestOptions,
  ): Call<AuthenticationChallenge> {
    const { authenticationFactorId, ...body } = orEmpty(payload);
    return this.send(api('challengeFactor'), { params: { id: authenticationFactorId }, body }, options);
  }

  /**
   * Check the code that answers a challenge. Look at `valid`: a wrong code is a result and not an error.
   *
   * @throws {NotFoundError} No challenge has this id.
   * @throws {UnprocessableError} The challenge was already answered or has expired, or the code is not six digits.
   * @throws {BadRequestError} There were too many wrong codes.
   * @example
   * const { valid } = await sallyport.mfa.verifyChallenge({ authenticationChallengeId: challenge.id, code });
   */
  verifyChallenge(
    payload: ChallengeVerify & {
      /** Id of the challenge that the code answers. */
      readonly authenticationChallengeId: string;
    },
    options?: RequestOptions,
  ): Call<ChallengeVerification> {
    const { authenticationChallengeId, ...body } = orEmpty(payload);
    return this.send(api('verifyChallenge'), { params: { id: authenticationChallengeId }, body }, options);
  }

  /**
   * Get a factor by id, without its secrets.
   *
   * @throws {NotFoundError} No factor has this id.
   */
  getFactor(id: string, options?: RequestOptions): Call<AuthenticationFactor> {
    return this.send(api('getFactor'), { params: { id } }, options);
  }

  /**
   * Delete a factor for good.
   *
   * @throws {NotFoundError} No factor has this id.
   */
  deleteFactor(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('deleteFactor'), { params: { id } }, options);
  }
}
