import type { Codec } from '../service/describe/codec.js';
import { Mismatch } from '../service/describe/codec.js';
import type { AnyModel } from '../service/describe/define.js';
import type { Operation } from '../service/describe/operation.js';
import {
  type EmailVerificationRequired,
  type FactorChoice,
  type FlowErrorCode,
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

/** A sign-in that is not finished, with what the next call needs. */
abstract class Unfinished<Code extends FlowErrorCode, Details> extends ApiError<Code> {
  readonly #details: Details;

  /** @param call Method of the client whose answer this is, `userManagement.authenticateWithCode`. */
  constructor(code: Code, details: Details, call: string, exchange: Exchange) {
    const { what, next } = flowErrors[code];
    super(code, { what: `${call} is not finished: ${what}`, next }, exchange);
    this.#details = details;
  }

  protected get details(): Details {
    return this.#details;
  }
}

/** The user belongs to several organizations: let them choose, then call `authenticateWithOrganizationSelection`. */
export class OrganizationSelectionRequiredError extends Unfinished<
  'organization_selection_required',
  OrganizationSelectionRequired
> {
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
    return this.details.user ?? undefined;
  }
}

/** The organization lets its users sign in by SSO only: send the user to a connection's authorization URL. */
export class SsoRequiredError extends Unfinished<'sso_required', SsoRequired> {
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
    return this.details.email ?? undefined;
  }
}

/** The organization does not allow the method that was used: offer the ones in `authMethods`. */
export class AuthenticationMethodsRequiredError extends Unfinished<
  'organization_authentication_methods_required',
  OrganizationAuthenticationMethodsRequired
> {
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
    return this.details.email ?? undefined;
  }
}

/** The address is not verified yet and a code was sent to it: ask for the code. */
export class EmailVerificationRequiredError extends Unfinished<
  'email_verification_required',
  EmailVerificationRequired
> {
  static override readonly kind: string = 'EmailVerificationRequiredError';
  /** For `authenticateWithEmailVerification`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Address that the code was sent to. */
  get email(): string | undefined {
    return this.details.email ?? undefined;
  }
  /** Id of the verification. */
  get emailVerificationId(): string | undefined {
    return this.details.emailVerificationId ?? undefined;
  }
}

/** A second factor is asked for: make a challenge and ask for the code. */
export class MfaChallengeError extends Unfinished<'mfa_challenge', MfaChallenge> {
  static override readonly kind: string = 'MfaChallengeError';
  /** For `authenticateWithTotp`. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Factors to make a challenge for. */
  get authenticationFactors(): readonly FactorChoice[] {
    return this.details.authenticationFactors ?? [];
  }
  /** A challenge that is made already, from services that do. */
  get authenticationChallenge(): AuthenticationChallenge | undefined {
    return this.details.authenticationChallenge ?? undefined;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.details.user ?? undefined;
  }
}

/** The user has to enroll a second factor before the sign-in can go on. */
export class MfaEnrollmentError extends Unfinished<'mfa_enrollment', MfaEnrollment> {
  static override readonly kind: string = 'MfaEnrollmentError';
  /** For `authenticateWithTotp`, once a factor is enrolled. */
  get pendingAuthenticationToken(): string {
    return this.details.pendingAuthenticationToken;
  }
  /** Who signs in. */
  get user(): User | undefined {
    return this.details.user ?? undefined;
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

type Class = new (code: never, details: never, call: string, exchange: Exchange) => FlowError;
const classes: Record<FlowErrorCode, Class> = {
  organization_selection_required: OrganizationSelectionRequiredError,
  sso_required: SsoRequiredError,
  organization_authentication_methods_required: AuthenticationMethodsRequiredError,
  email_verification_required: EmailVerificationRequiredError,
  mfa_challenge: MfaChallengeError,
  mfa_enrollment: MfaEnrollmentError,
};

/** The next step of a sign-in that a code stands for, whatever the status; `undefined` when it stands for none. */
export function flowErrorOf(
  codec: Codec,
  operation: Operation,
  code: string,
  exchange: Exchange,
): FlowError | undefined {
  if (!Object.hasOwn(flowErrors, code)) return undefined;
  const name = code as FlowErrorCode;
  const model: AnyModel = flowErrors[name].details;
  // The names say `code` in some bodies and `error` in others; services are not of one mind about it.
  const body = { ...(exchange.body as object), code, error: code };
  try {
    // Each class is listed under its own code, and the codec has checked the body against the model of its details.
    const details = codec.decode({ kind: 'model', model }, body) as never;
    return new classes[name](code as never, details, operation.client, exchange);
  } catch (error) {
    if (error instanceof Mismatch) return undefined;
    throw error;
  }
}
