import {
  type AuthenticationChallenge,
  type AuthenticationFactor,
  type AuthenticationFactorWithSecrets,
  mfa as api,
  type ChallengeVerification,
  type ChallengeVerify,
  type FactorChallenge,
  type FactorEnroll,
} from '../service/mfa.js';
import type { Call } from '../transport/call.js';
import { given, Namespace } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/options.js';

/** Second factors of authentication, also for users that your application keeps itself. */
export class Mfa extends Namespace {
  /**
   * A new factor. For `totp`, show the QR code to the user; its secrets are answered this once. Keep the factor's id with
   * your user: the factor is not tied to one. For that see `userManagement.enrollAuthFactor`.
   *
   * Specification: Endpoints > Multi-factor (general).
   *
   * @throws {UnprocessableError} The telephone number is no number, or issuer or user are missing.
   * @example
   * const factor = await sallyport.mfa.enrollFactor({ type: 'totp', issuer: 'Acme', user: 'ada@acme.test' });
   * const image = factor.totp?.qrCode;
   */
  enrollFactor(payload: FactorEnroll, options?: RequestOptions): Call<AuthenticationFactorWithSecrets> {
    return this.send(api.enrollFactor, { body: payload }, options);
  }

  /**
   * A new challenge, answered with `verifyChallenge`. For an `sms` factor a message with the code was just sent, with your
   * text if `smsTemplate` has one; `{{code}}` in it stands for the code.
   *
   * Specification: Endpoints > Multi-factor (general).
   *
   * @throws {NotFoundError} No factor has this id.
   */
  challengeFactor(
    payload: FactorChallenge & {
      /** Id of the factor to challenge. */
      readonly authenticationFactorId: string;
    },
    options?: RequestOptions,
  ): Call<AuthenticationChallenge> {
    const { authenticationFactorId, ...body } = given(payload);
    return this.send(api.challengeFactor, { params: { id: authenticationFactorId }, body }, options);
  }

  /**
   * Whether the code was right: look at `valid`, for a wrong code is an answer and no error.
   *
   * Specification: Endpoints > Multi-factor (general).
   *
   * @throws {BadRequestError} The challenge is over: answered already, too old, or tried too often.
   * @throws {NotFoundError} No challenge has this id.
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
    const { authenticationChallengeId, ...body } = given(payload);
    return this.send(api.verifyChallenge, { params: { id: authenticationChallengeId }, body }, options);
  }

  /**
   * One factor, without its secrets.
   *
   * Specification: Endpoints > Multi-factor (general).
   *
   * @throws {NotFoundError} No factor has this id.
   */
  getFactor(id: string, options?: RequestOptions): Call<AuthenticationFactor> {
    return this.send(api.getFactor, { params: { id } }, options);
  }

  /**
   * Nothing; the factor is gone for good.
   *
   * Specification: Endpoints > Multi-factor (general).
   *
   * @throws {NotFoundError} No factor has this id.
   */
  deleteFactor(id: string, options?: RequestOptions): Call<void> {
    return this.send(api.deleteFactor, { params: { id } }, options);
  }
}
