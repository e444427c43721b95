import type { Explanation } from '../../errors/index.js';
import { type SignInStep, signInStepIn } from '../../oauth/step.js';
import type { FlowErrorCode } from '../../service/flow-errors.js';
import type { AuthenticationChallenge } from '../../service/mfa.js';
import type { User } from '../../service/users.js';
import { ApiError, type Exchange } from './errors.js';

/** The step with a code. */
type StepOf<Code> = Extract<SignInStep, { readonly reason: Code }>;
/** A field of a step; undefined if the step does not have it. */
type StepField<Step, Name extends string> = Step extends { readonly [N in Name]: infer Value } ? Value : undefined;

/** The data of an error, decoded by the model of its code. */
type Details<Code> = { readonly [Name in StepFieldName]: StepField<StepOf<Code>, Name> } & {
  readonly authenticationChallenge: AuthenticationChallenge | undefined;
  readonly email: string | undefined;
  readonly emailVerificationId: string | undefined;
  readonly user: User | undefined;
};
type StepFieldName =
  | 'pendingAuthenticationToken'
  | 'organizations'
  | 'connectionIds'
  | 'ssoConnectionIds'
  | 'authMethods'
  | 'authenticationFactors';

/**
 * The sign-in is not finished: `code` names the next step, and the error has the data for it. `switch (error.code)` narrows the
 * fields. Getters keep tokens and users out of printed errors.
 *
 * @example
 * if (isSallyportError(error) && error.code === 'organization_selection_required')
 *   showOrganizations(error.organizations, error.pendingAuthenticationToken);
 */
export class SignInStepError<Code extends FlowErrorCode = FlowErrorCode> extends ApiError<Code> {
  static override readonly kind: string = 'SignInStepError';
  readonly #details: Details<Code>;

  constructor(code: Code, explanation: Explanation, details: object, exchange: Exchange) {
    super(code, explanation, exchange);
    // The codec has decoded them.
    this.#details = details as Details<Code>;
  }

  /** The next step, in the form that `finishSignIn` of `sallyport/session` returns. */
  get step(): StepOf<Code> {
    // Bodies without a step become other errors.
    return signInStepIn(this.code, Object(this.body)) as StepOf<Code>;
  }
  /** Token for the next call. With `sso_required`, null if none is needed. */
  get pendingAuthenticationToken(): StepField<StepOf<Code>, 'pendingAuthenticationToken'> {
    return this.#details.pendingAuthenticationToken;
  }
  /** With `organization_selection_required`: the organizations to choose from. */
  get organizations(): StepField<StepOf<Code>, 'organizations'> {
    return this.#details.organizations;
  }
  /** With `sso_required`: the connections that the user can sign in with. */
  get connectionIds(): StepField<StepOf<Code>, 'connectionIds'> {
    return this.#details.connectionIds;
  }
  /** With `organization_authentication_methods_required`: the connections that the user can sign in with. */
  get ssoConnectionIds(): StepField<StepOf<Code>, 'ssoConnectionIds'> {
    return this.#details.ssoConnectionIds;
  }
  /**
   * With `organization_authentication_methods_required`: whether each method is allowed, keyed by the service's name, such as
   * `magic_auth`, `password` or `google_oauth`.
   */
  get authMethods(): StepField<StepOf<Code>, 'authMethods'> {
    return this.#details.authMethods;
  }
  /** With `mfa_challenge`: the factors that can be challenged. */
  get authenticationFactors(): StepField<StepOf<Code>, 'authenticationFactors'> {
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
export type FlowError = { readonly [Code in FlowErrorCode]: SignInStepError<Code> }[FlowErrorCode];
