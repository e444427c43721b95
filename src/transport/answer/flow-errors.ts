import type { Explanation } from '../../errors/index.js';
import type { FactorChoice, FlowErrorCode, OrganizationChoice } from '../../service/flow-errors.js';
import type { AuthenticationChallenge } from '../../service/mfa.js';
import type { User } from '../../service/users.js';
import { ApiError, type Exchange } from './errors.js';

// Errors that ask for another step of a sign-in. Getters keep tokens and users out of printed errors.

/** Data for the next steps. Each error has the fields that its getters read. */
interface Details {
  /** A string; null only in errors that declare it so. */
  readonly pendingAuthenticationToken: never;
  readonly organizations: readonly OrganizationChoice[];
  readonly connectionIds: readonly string[];
  readonly ssoConnectionIds: readonly string[];
  readonly authMethods: Readonly<Record<string, boolean>>;
  readonly authenticationFactors: readonly FactorChoice[];
  readonly authenticationChallenge: AuthenticationChallenge | undefined;
  readonly email: string | undefined;
  readonly emailVerificationId: string | undefined;
  readonly user: User | undefined;
}

/** An unfinished sign-in, with the data for the next call. */
abstract class SignInStepError<Code extends FlowErrorCode> extends ApiError<Code> {
  readonly #details: Details;

  constructor(code: Code, explanation: Explanation, details: object, exchange: Exchange) {
    super(code, explanation, exchange);
    // The codec decoded them by the model of this error.
    this.#details = details as Details;
  }

  protected get details(): Details {
    return this.#details;
  }
}

/** The user belongs to several organizations: let them choose, then call `authenticateWithOrganizationSelection`. */
export class OrganizationSelectionRequiredError extends SignInStepError<'organization_selection_required'> {
  static override readonly kind: string = 'OrganizationSelectionRequiredError';
  /** For `authenticateWithOrganizationSelection`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Organizations to choose from. */
  get organizations(): readonly OrganizationChoice[] {
    return this.details.organizations;
  }
  /** The user who signs in. */
  get user(): User | undefined {
    return this.details.user;
  }
}

/** The organization only allows SSO: send the user to a connection's authorization URL. */
export class SsoRequiredError extends SignInStepError<'sso_required'> {
  static override readonly kind: string = 'SsoRequiredError';
  /** Pass it to `authenticateWithCode` later; null if none is needed. */
  get pendingAuthenticationToken(): string | null {
    return this.details.pendingAuthenticationToken;
  }
  /** Connections that the user can sign in with. */
  get connectionIds(): readonly string[] {
    return this.details.connectionIds;
  }
  /** Email address of the sign-in. */
  get email(): string | undefined {
    return this.details.email;
  }
}

/** The organization does not allow the method that was used: offer the ones in `authMethods`. */
export class AuthenticationMethodsRequiredError extends SignInStepError<'organization_authentication_methods_required'> {
  static override readonly kind: string = 'AuthenticationMethodsRequiredError';
  /** Connections that the user can sign in with. */
  get ssoConnectionIds(): readonly string[] {
    return this.details.ssoConnectionIds;
  }
  /** Whether each method is allowed, keyed by the service's name, such as `magic_auth`, `password` or `google_oauth`. */
  get authMethods(): Readonly<Record<string, boolean>> {
    return this.details.authMethods;
  }
  /** Email address of the sign-in. */
  get email(): string | undefined {
    return this.details.email;
  }
}

/** The email address is not verified yet and a code was sent to it: ask the user for the code. */
export class EmailVerificationRequiredError extends SignInStepError<'email_verification_required'> {
  static override readonly kind: string = 'EmailVerificationRequiredError';
  /** For `authenticateWithEmailVerification`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Email address that the code was sent to. */
  get email(): string | undefined {
    return this.details.email;
  }
  /** Id of the verification. */
  get emailVerificationId(): string | undefined {
    return this.details.emailVerificationId;
  }
}

/** A second factor is required: create a challenge and ask the user for the code. */
export class MfaChallengeError extends SignInStepError<'mfa_challenge'> {
  static override readonly kind: string = 'MfaChallengeError';
  /** For `authenticateWithTotp`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Factors that can be challenged. */
  get authenticationFactors(): readonly FactorChoice[] {
    return this.details.authenticationFactors;
  }
  /** A challenge, if the service has already created one. */
  get authenticationChallenge(): AuthenticationChallenge | undefined {
    return this.details.authenticationChallenge;
  }
  /** The user who signs in. */
  get user(): User | undefined {
    return this.details.user;
  }
}

/** The user must enroll a second factor to continue the sign-in. */
export class MfaEnrollmentError extends SignInStepError<'mfa_enrollment'> {
  static override readonly kind: string = 'MfaEnrollmentError';
  /** For `authenticateWithTotp`, after enrolling a factor. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** The user who signs in. */
  get user(): User | undefined {
    return this.details.user;
  }
}

/** Any of the six errors that ask for another step of a sign-in. */
export type FlowError =
  | OrganizationSelectionRequiredError
  | SsoRequiredError
  | AuthenticationMethodsRequiredError
  | EmailVerificationRequiredError
  | MfaChallengeError
  | MfaEnrollmentError;

type Class = new (code: never, explanation: Explanation, details: object, exchange: Exchange) => FlowError;
const classes: Record<FlowErrorCode, Class> = {
  organization_selection_required: OrganizationSelectionRequiredError,
  sso_required: SsoRequiredError,
  organization_authentication_methods_required: AuthenticationMethodsRequiredError,
  email_verification_required: EmailVerificationRequiredError,
  mfa_challenge: MfaChallengeError,
  mfa_enrollment: MfaEnrollmentError,
};

/** Create the error for the next step of a sign-in. */
export const flowErrorOf = (
  code: FlowErrorCode,
  explanation: Explanation,
  details: object,
  exchange: Exchange,
): FlowError =>
  // Each class is listed under its own code.
  new classes[code](code as never, explanation, details, exchange);
