import type { Explanation } from '../../errors/index.js';
import type { SignInStep } from '../../oauth/step.js';
import type { SignInStepCode } from '../../service/flow-errors.js';
import { ApiError, type Exchange } from './errors.js';

/**
 * The sign-in is not finished: `code` names the next step, and `step` has the data for it. `switch (error.code)` narrows both.
 * `sign_in_step_required` stands for a step that this version does not know: `serviceCode` is its name. Getters keep tokens out of
 * printed errors.
 *
 * @example
 * if (isSallyportError(error) && error.code === 'organization_selection_required')
 *   showOrganizations(error.step.organizations, error.pendingAuthenticationToken);
 */
export class SignInStepError<Code extends SignInStepCode = SignInStepCode> extends ApiError<Code> {
  static override readonly kind: string = 'SignInStepError';
  readonly #step: Extract<SignInStep, { readonly reason: Code }>;

  constructor(step: Extract<SignInStep, { readonly reason: Code }>, explanation: Explanation, exchange: Exchange) {
    // A step has the reason of its type.
    super(step.reason as Code, explanation, exchange);
    this.#step = step;
  }

  /** The next step, in the form that `finishSignIn` of `sallyport/session` returns. */
  get step(): Extract<SignInStep, { readonly reason: Code }> {
    return this.#step;
  }
  /**
   * Token for the next call. With `sso_required`, null if none is needed; with `organization_authentication_methods_required`,
   * undefined if the service sends none.
   */
  get pendingAuthenticationToken(): Extract<SignInStep, { readonly reason: Code }>['pendingAuthenticationToken'] {
    const { pendingAuthenticationToken }: { readonly pendingAuthenticationToken?: unknown } = this.#step;
    // The compiler cannot follow the code into the union of steps.
    return pendingAuthenticationToken as never;
  }
}

/** A `SignInStepError` with any of its codes. `switch (error.code)` narrows it. */
export type FlowError = { readonly [Code in SignInStepCode]: SignInStepError<Code> }[SignInStepCode];
