import type { Explanation } from '../../errors/index.js';
import { type SignInStep, signInStepIn } from '../../oauth/step.js';
import type { FactorChoice, OrganizationChoice, SignInStepCode } from '../../service/flow-errors.js';
import type { AuthenticationChallenge } from '../../service/mfa.js';
import type { User } from '../../service/users.js';
import { ApiError, type Exchange } from './errors.js';

/** A field of the errors with one code; undefined in all others. */
type FieldOf<Code, Owner extends SignInStepCode, Value> = Code extends Owner ? Value : undefined;
/** The token for the next call. */
type TokenOf<Code> = Code extends 'organization_authentication_methods_required'
  ? string | undefined
  : Code extends 'sso_required'
    ? string | null
    : string;

/** The data of an error, decoded by the model of its code. */
type Details<Code extends SignInStepCode> = Omit<SignInStepError<Code>, keyof ApiError | 'step'>;

/**
 * The sign-in is not finished: `code` names the next step, and the error has the data for it. `switch (error.code)` narrows the
 * fields. `sign_in_step_required` stands for a step that this version does not know: `serviceCode` is its name. Getters keep tokens
 * and users out of printed errors.
 *
 * @example
 * if (isSallyportError(error) && error.code === 'organization_selection_required')
 *   showOrganizations(error.organizations, error.pendingAuthenticationToken);
 */
export class SignInStepError<Code extends SignInStepCode = SignInStepCode> extends ApiError<Code> {
  static override readonly kind: string = 'SignInStepError';
  readonly #details: Details<Code>;

  constructor(code: Code, explanation: Explanation, details: object, exchange: Exchange) {
    super(code, explanation, exchange);
    // The codec has decoded them.
    this.#details = details as Details<Code>;
  }

  /** The next step, in the form that `finishSignIn` of `sallyport/session` returns. */
  get step(): Extract<SignInStep, { readonly reason: Code }> {
    // Bodies without a step become other errors.
    return signInStepIn(this.code, Object(this.body), this.serviceCode) as Extract<
      SignInStep,
      { readonly reason: Code }
    >;
  }
  /**
   * Token for the next call. With `sso_required`, null if none is needed; with `organization_authentication_methods_required`,
   * undefined if the service sends none.
   */
  get pendingAuthenticationToken(): TokenOf<Code> {
    return this.#details.pendingAuthenticationToken;
  }
  /** With `organization_selection_required`: the organizations to choose from. */
  get organizations(): FieldOf<Code, 'organization_selection_required', readonly OrganizationChoice[]> {
    return this.#details.organizations;
  }
  /** With `sso_required`: the connections that the user can sign in with. */
  get connectionIds(): FieldOf<Code, 'sso_required', readonly string[]> {
    return this.#details.connectionIds;
  }
  /** With `organization_authentication_methods_required`: the connections that the user can sign in with. */
  get ssoConnectionIds(): FieldOf<Code, 'organization_authentication_methods_required', readonly string[]> {
    return this.#details.ssoConnectionIds;
  }
  /**
   * With `organization_authentication_methods_required`: whether each method is allowed, keyed by the service's name, such as
   * `magic_auth`, `password` or `google_oauth`.
   */
  get authMethods(): FieldOf<Code, 'organization_authentication_methods_required', Readonly<Record<string, boolean>>> {
    return this.#details.authMethods;
  }
  /** With `mfa_challenge`: the factors that can be challenged. */
  get authenticationFactors(): FieldOf<Code, 'mfa_challenge', readonly FactorChoice[]> {
    return this.#details.authenticationFactors;
  }
  /** With `mfa_challenge`: a challenge, if the service has already created one. */
  get authenticationChallenge(): AuthenticationChallenge | undefined {
    return this.#details.authenticationChallenge;
  }
  /** Email address of the sign-in, if the service sends it. With `email_verification_required`, a code was sent to it. */
  get email(): string | undefined {
    return this.#details.email;
  }
  /** With `email_verification_required`: id of the verification. */
  get emailVerificationId(): string | undefined {
    return this.#details.emailVerificationId;
  }
  /** The user who signs in, if the service sends it. */
  get user(): User | undefined {
    return this.#details.user;
  }
}

/** A `SignInStepError` with any of its codes. `switch (error.code)` narrows it. */
export type FlowError = { readonly [Code in SignInStepCode]: SignInStepError<Code> }[SignInStepCode];
