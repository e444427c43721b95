import { textIn, textsIn } from '../http/json.js';
import type { FactorChoice, OrganizationChoice } from '../service/flow-errors.js';
import type { GrantRefusal } from './service.js';

/**
 * What a sign-in by connection or social provider may still ask for, and what the next call needs. The hosted sign-in page
 * does all of it by itself. Complete it with the client's method and hand its answer to `sessions.create`.
 *
 * Specification: Errors > Authentication-flow errors.
 */
export type SignInStep =
  | {
      /** Let the user choose; then `authenticateWithOrganizationSelection`. */
      readonly reason: 'organization_selection_required';
      readonly pendingAuthenticationToken: string;
      readonly organizations: readonly OrganizationChoice[];
    }
  | {
      /** Start again with one of the connections: `startSignIn(request, { connectionId, pendingAuthenticationToken })`. */
      readonly reason: 'sso_required';
      /** Null when none is to be passed. */
      readonly pendingAuthenticationToken: string | null;
      readonly connectionIds: readonly string[];
    }
  | {
      /** The organization does not allow this way: start again by one of those it does. */
      readonly reason: 'organization_authentication_methods_required';
      readonly ssoConnectionIds: readonly string[];
      /** By the service's names: `magic_auth`, `password`, `google_oauth`. */
      readonly authMethods: Readonly<Record<string, boolean>>;
    }
  | {
      /** A code was mailed; then `authenticateWithEmailVerification`. */
      readonly reason: 'email_verification_required';
      readonly pendingAuthenticationToken: string;
      /** Where it was mailed to; null where the service does not say. */
      readonly email: string | null;
    }
  | {
      /** Challenge one of the factors; then `authenticateWithTotp`. */
      readonly reason: 'mfa_challenge';
      readonly pendingAuthenticationToken: string;
      readonly authenticationFactors: readonly FactorChoice[];
      /** A challenge that the service has made already; null for none. */
      readonly authenticationChallengeId: string | null;
    }
  | {
      /** Enroll a factor for the user and challenge it; then `authenticateWithTotp`. */
      readonly reason: 'mfa_enrollment';
      readonly pendingAuthenticationToken: string;
      /** Null where the service does not say. */
      readonly userId: string | null;
    };

type Fields = Readonly<Record<string, unknown>>;

const fieldsIn = (value: unknown): Fields => Object(value);
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : []);

/** The step that a refusal of the service asks for; undefined when there is none and the sign-in has failed. */
export function stepOf({ code, body }: GrantRefusal): SignInStep | undefined {
  const token = textIn(body.pending_authentication_token);
  if (code === 'sso_required')
    return { reason: code, pendingAuthenticationToken: token, connectionIds: textsIn(body.connection_ids) };
  if (code === 'organization_authentication_methods_required') {
    const methods = Object.entries(fieldsIn(body.auth_methods));
    const authMethods = Object.fromEntries(methods.map(([name, allowed]) => [name, allowed === true]));
    return { reason: code, ssoConnectionIds: textsIn(body.sso_connection_ids), authMethods };
  }
  if (!token) return undefined;
  const pendingAuthenticationToken = token;
  switch (code) {
    case 'organization_selection_required': {
      const organizations = list(body.organizations).map(({ id, name }) => ({
        id: textIn(id) ?? '',
        name: textIn(name) ?? '',
      }));
      return { reason: code, pendingAuthenticationToken, organizations };
    }
    case 'email_verification_required':
      return { reason: code, pendingAuthenticationToken, email: textIn(body.email) };
    case 'mfa_challenge': {
      const authenticationFactors = list(body.authentication_factors).map(({ id, type }) => ({
        id: textIn(id) ?? '',
        type: textIn(type) ?? '',
      }));
      const authenticationChallengeId = textIn(fieldsIn(body.authentication_challenge).id);
      return { reason: code, pendingAuthenticationToken, authenticationFactors, authenticationChallengeId };
    }
    case 'mfa_enrollment':
      return { reason: code, pendingAuthenticationToken, userId: textIn(fieldsIn(body.user).id) };
    default:
      return undefined;
  }
}
