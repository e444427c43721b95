import type { Explanation } from '../errors/index.js';
import type { FactorChoice, FlowErrorCode, OrganizationChoice } from '../service/flow-errors.js';
import type { AuthenticationChallenge } from '../service/mfa.js';
import type { User } from '../service/users.js';
import { ApiError, type Exchange } from './errors.js';

// Answers that are the next step of a sign-in. Tokens and users are read by getters: what is printed has neither.

/** What the next steps need; of each error what its getters read. */
interface Details {
  /** A string, and null only where the error declares so. */
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

/** A sign-in that is not finished, with what the next call needs. */
abstract class Unfinished<Code extends FlowErrorCode> extends ApiError<Code> {
  readonly #details: Details;

  constructor(code: Code, explanation: Explanation, details: object, exchange: Exchange) {
    super(code, explanation, exchange);
    // The codec has read them by the model of this error.
    this.#details = details as Details;
  }

  protected get details(): Details {
    return this.#details;
  }
}

/** The user belongs to several organizations: let them choose, then call `authenticateWithOrganizationSelection`. */
export class OrganizationSelectionRequiredError extends Unfinished<'organization_selection_required'> {
  static override readonly kind: string = 'OrganizationSelectionRequiredError';
  /** For `authenticateWithOrganizationSelection`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** What there is to choose from. */
  get organizations(): readonly OrganizationChoice[] {
    return this.details.organizations;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.details.user;
  }
}

/** The organization lets its users sign in by SSO only: send the user to a connection's authorization URL. */
export class SsoRequiredError extends Unfinished<'sso_required'> {
  static override readonly kind: string = 'SsoRequiredError';
  /** For `authenticateWithCode` afterwards; null when none is to be passed. */
  get pendingAuthenticationToken(): string | null {
    return this.details.pendingAuthenticationToken;
  }
  /** Connections the user may sign in by. */
  get connectionIds(): readonly string[] {
    return this.details.connectionIds;
  }
  /** The address that was given. */
  get email(): string | undefined {
    return this.details.email;
  }
}

/** The organization does not allow the method that was used: offer the ones in `authMethods`. */
export class AuthenticationMethodsRequiredError extends Unfinished<'organization_authentication_methods_required'> {
  static override readonly kind: string = 'AuthenticationMethodsRequiredError';
  /** Connections the user may sign in by. */
  get ssoConnectionIds(): readonly string[] {
    return this.details.ssoConnectionIds;
  }
  /** Which methods are allowed, by the service's names: `magic_auth`, `password`, `google_oauth`. */
  get authMethods(): Readonly<Record<string, boolean>> {
    return this.details.authMethods;
  }
  /** The address that was given. */
  get email(): string | undefined {
    return this.details.email;
  }
}

/** The address is not verified yet and a code was sent to it: ask for the code. */
export class EmailVerificationRequiredError extends Unfinished<'email_verification_required'> {
  static override readonly kind: string = 'EmailVerificationRequiredError';
  /** For `authenticateWithEmailVerification`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Address that the code was sent to. */
  get email(): string | undefined {
    return this.details.email;
  }
  /** Id of the verification. */
  get emailVerificationId(): string | undefined {
    return this.details.emailVerificationId;
  }
}

/** A second factor is asked for: make a challenge and ask for the code. */
export class MfaChallengeError extends Unfinished<'mfa_challenge'> {
  static override readonly kind: string = 'MfaChallengeError';
  /** For `authenticateWithTotp`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Factors to make a challenge for. */
  get authenticationFactors(): readonly FactorChoice[] {
    return this.details.authenticationFactors;
  }
  /** A challenge that is made already, from services that do. */
  get authenticationChallenge(): AuthenticationChallenge | undefined {
    return this.details.authenticationChallenge;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.details.user;
  }
}

/** The user has to enroll a second factor before the sign-in can go on. */
export class MfaEnrollmentError extends Unfinished<'mfa_enrollment'> {
  static override readonly kind: string = 'MfaEnrollmentError';
  /** For `authenticateWithTotp`, once a factor is enrolled. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.details.user;
  }
}

/** One of the six. */
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

/** The error that stands for the next step of a sign-in. */
export const flowErrorOf = (
  code: FlowErrorCode,
  explanation: Explanation,
  details: object,
  exchange: Exchange,
): FlowError =>
  // Each class is listed under its own code.
  new classes[code](code as never, explanation, details, exchange);
