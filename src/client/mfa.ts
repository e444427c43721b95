import type {
  AuthenticationChallenge,
  AuthenticationFactor,
  AuthenticationFactorWithSecrets,
  ChallengeVerification,
  ChallengeVerify,
  FactorChallenge,
  FactorEnroll,
} from '../service/mfa.js';
import type { Call } from '../transport/answer/call.js';
import { Namespace } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/request/options.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('mfa');

/** Second factors, also for users that only exist in your application. */
export class Mfa extends Namespace {
  /**
   * Enroll a second factor. For `totp`, show the QR code to the user; the secrets are only returned once. Store the
   * factor's id with your user, because the service does not link the factor to a user. For users of the service, call
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
   * Challenge a factor, then pass the user's code to `verifyChallenge`. For an `sms` factor this sends a message with
   * the code: a standard text, or your `smsTemplate` with `{{code}}` replaced by the code.
   *
   * @throws {NotFoundError} No factor has this id.
   * @throws {UnprocessableError} `smsTemplate` does not contain `{{code}}`.
   */
  challengeFactor(
    payload: FactorChallenge & {
      /** Id of the factor to challenge. */
      readonly authenticationFactorId: string;
    },
    options?: RequestOptions,
  ): Call<AuthenticationChallenge> {
    return this.sendObject(api('challengeFactor'), payload, options);
  }

  /**
   * Check the code for a challenge. Check `valid` in the result: a wrong code does not throw.
   *
   * @throws {NotFoundError} No challenge has this id.
   * @throws {UnprocessableError} The challenge was already answered or has expired, or the code is not six digits.
   * @throws {BadRequestError} There were too many wrong codes.
   * @example
   * const { valid } = await sallyport.mfa.verifyChallenge({ authenticationChallengeId: challenge.id, code });
   */
  verifyChallenge(
    payload: ChallengeVerify & {
      /** Id of the challenge that the code is for. */
      readonly authenticationChallengeId: string;
    },
    options?: RequestOptions,
  ): Call<ChallengeVerification> {
    return this.sendObject(api('verifyChallenge'), payload, options);
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
   * Delete a factor permanently.
   *
   * @throws {NotFoundError} No factor has this id.
   */
  deleteFactor(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('deleteFactor'), { params: { id } }, options);
  }
}
