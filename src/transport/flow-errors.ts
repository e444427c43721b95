import type { Codec } from '../service/describe/codec.js';
import { Mismatch } from '../service/describe/codec.js';
import type { AnyModel } from '../service/describe/define.js';
import type { Operation } from '../service/describe/operation.js';
import {
  type EmailVerificationRequired,
  type FactorChoice,
  flowErrors,
  type MfaChallenge,
  type MfaEnrollment,
  type OrganizationAuthenticationMethodsRequired,
  type OrganizationChoice,
  type OrganizationSelectionRequired,
  type SsoRequired,
} from '../service/flow-errors.js';
import type { AuthenticationChallenge } from '../service/mfa.js';
import type { User } from '../service/users.js';
import { ApiError, type Exchange } from './errors.js';

// Answers that are the next step of a sign-in. Tokens and users are read by getters: what is printed has neither.

/** The user belongs to several organizations: let them choose, then call `authenticateWithOrganizationSelection`. */
export class OrganizationSelectionRequiredError extends ApiError<'organization_selection_required'> {
  static override readonly kind: string = 'OrganizationSelectionRequiredError';
  readonly #details: OrganizationSelectionRequired;
  constructor(details: OrganizationSelectionRequired, operation: Operation, exchange: Exchange) {
    super(
      'organization_selection_required',
      step(
        operation,
        'the user has to choose an organization',
        'Show organizations, then call authenticateWithOrganizationSelection',
      ),
      exchange,
    );
    this.#details = details;
  }
  /** For `authenticateWithOrganizationSelection`. */
  get pendingAuthenticationToken(): string {
    return this.#details.pendingAuthenticationToken;
  }
  /** What there is to choose from. */
  get organizations(): readonly OrganizationChoice[] {
    return this.#details.organizations;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.#details.user ?? undefined;
  }
}

/** The organization lets its users sign in by SSO only: send the user to a connection's authorization URL. */
export class SsoRequiredError extends ApiError<'sso_required'> {
  static override readonly kind: string = 'SsoRequiredError';
  readonly #details: SsoRequired;
  constructor(details: SsoRequired, operation: Operation, exchange: Exchange) {
    super(
      'sso_required',
      step(
        operation,
        'the user has to sign in by SSO',
        'Redirect to getAuthorizationUrl({ connectionId }) with one of connectionIds',
      ),
      exchange,
    );
    this.#details = details;
  }
  /** For `authenticateWithCode` afterwards; null when none is to be passed. */
  get pendingAuthenticationToken(): string | null {
    return this.#details.pendingAuthenticationToken;
  }
  /** Connections the user may sign in by. */
  get connectionIds(): readonly string[] {
    return this.#details.connectionIds;
  }
  /** The address that was given. */
  get email(): string | undefined {
    return this.#details.email ?? undefined;
  }
}

/** The organization does not allow the method that was used: offer the ones in `authMethods`. */
export class AuthenticationMethodsRequiredError extends ApiError<'organization_authentication_methods_required'> {
  static override readonly kind: string = 'AuthenticationMethodsRequiredError';
  readonly #details: OrganizationAuthenticationMethodsRequired;
  constructor(details: OrganizationAuthenticationMethodsRequired, operation: Operation, exchange: Exchange) {
    super(
      'organization_authentication_methods_required',
      step(
        operation,
        'the organization does not allow this way to sign in',
        'Offer the methods that authMethods has as true, or SSO by one of ssoConnectionIds',
      ),
      exchange,
    );
    this.#details = details;
  }
  /** Connections the user may sign in by. */
  get ssoConnectionIds(): readonly string[] {
    return this.#details.ssoConnectionIds;
  }
  /** Which methods are allowed, by the service's names: `magic_auth`, `password`, `google_oauth`. */
  get authMethods(): Readonly<Record<string, boolean>> {
    return this.#details.authMethods;
  }
  /** The address that was given. */
  get email(): string | undefined {
    return this.#details.email ?? undefined;
  }
}

/** The address is not verified yet and a code was sent to it: ask for the code. */
export class EmailVerificationRequiredError extends ApiError<'email_verification_required'> {
  static override readonly kind: string = 'EmailVerificationRequiredError';
  readonly #details: EmailVerificationRequired;
  constructor(details: EmailVerificationRequired, operation: Operation, exchange: Exchange) {
    super(
      'email_verification_required',
      step(
        operation,
        'the address has to be verified',
        'Ask for the code that was mailed, then call authenticateWithEmailVerification',
      ),
      exchange,
    );
    this.#details = details;
  }
  /** For `authenticateWithEmailVerification`. */
  get pendingAuthenticationToken(): string {
    return this.#details.pendingAuthenticationToken;
  }
  /** Address that the code was sent to. */
  get email(): string | undefined {
    return this.#details.email ?? undefined;
  }
  /** Id of the verification. */
  get emailVerificationId(): string | undefined {
    return this.#details.emailVerificationId ?? undefined;
  }
}

/** A second factor is asked for: make a challenge and ask for the code. */
export class MfaChallengeError extends ApiError<'mfa_challenge'> {
  static override readonly kind: string = 'MfaChallengeError';
  readonly #details: MfaChallenge;
  constructor(details: MfaChallenge, operation: Operation, exchange: Exchange) {
    super(
      'mfa_challenge',
      step(
        operation,
        'a second factor is asked for',
        'Call mfa.challengeFactor for one of authenticationFactors, ask for the code, then call authenticateWithTotp',
      ),
      exchange,
    );
    this.#details = details;
  }
  /** For `authenticateWithTotp`. */
  get pendingAuthenticationToken(): string {
    return this.#details.pendingAuthenticationToken;
  }
  /** Factors to make a challenge for. */
  get authenticationFactors(): readonly FactorChoice[] {
    return this.#details.authenticationFactors ?? [];
  }
  /** A challenge that is made already, from services that do. */
  get authenticationChallenge(): AuthenticationChallenge | undefined {
    return this.#details.authenticationChallenge ?? undefined;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.#details.user ?? undefined;
  }
}

/** The user has to enroll a second factor before the sign-in can go on. */
export class MfaEnrollmentError extends ApiError<'mfa_enrollment'> {
  static override readonly kind: string = 'MfaEnrollmentError';
  readonly #details: MfaEnrollment;
  constructor(details: MfaEnrollment, operation: Operation, exchange: Exchange) {
    super(
      'mfa_enrollment',
      step(
        operation,
        'the user has to enroll a second factor',
        'Call enrollAuthFactor for the user, ask for the code, then call authenticateWithTotp',
      ),
      exchange,
    );
    this.#details = details;
  }
  /** Continues the sign-in once a factor is enrolled. */
  get pendingAuthenticationToken(): string {
    return this.#details.pendingAuthenticationToken;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.#details.user ?? undefined;
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

const step = (operation: Operation, what: string, next: string) => ({
  what: `${operation.client} is not finished: ${what}`,
  next,
});

type Make = (details: never, operation: Operation, exchange: Exchange) => FlowError;
const makers: Record<keyof typeof flowErrors, Make> = {
  organization_selection_required: (details, operation, exchange) =>
    new OrganizationSelectionRequiredError(details, operation, exchange),
  sso_required: (details, operation, exchange) => new SsoRequiredError(details, operation, exchange),
  organization_authentication_methods_required: (details, operation, exchange) =>
    new AuthenticationMethodsRequiredError(details, operation, exchange),
  email_verification_required: (details, operation, exchange) =>
    new EmailVerificationRequiredError(details, operation, exchange),
  mfa_challenge: (details, operation, exchange) => new MfaChallengeError(details, operation, exchange),
  mfa_enrollment: (details, operation, exchange) => new MfaEnrollmentError(details, operation, exchange),
};

/** The next step of a sign-in that a code stands for, whatever the status; `undefined` when it stands for none. */
export function flowErrorOf(
  codec: Codec,
  operation: Operation,
  code: string,
  exchange: Exchange,
): FlowError | undefined {
  if (!Object.hasOwn(flowErrors, code)) return undefined;
  const name = code as keyof typeof flowErrors;
  const model: AnyModel = flowErrors[name];
  // The names say `code` in some bodies and `error` in others; services are not of one mind about it.
  const body = { ...(exchange.body as object), code, error: code };
  try {
    // The codec has checked the body against the model that the maker's type is made from.
    return makers[name](codec.decode({ kind: 'model', model }, body) as never, operation, exchange);
  } catch (error) {
    if (error instanceof Mismatch) return undefined;
    throw error;
  }
}
