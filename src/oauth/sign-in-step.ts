import { textIn, textsIn } from '../http/json.js';
import type { FactorChoice, FlowErrorCode, OrganizationChoice } from '../service/flow-errors.js';
import { isFlowError } from './flow-errors.js';
import type { GrantRefusal } from './token-answer.js';

/**
 * What a sign-in by connection or social provider may still ask for, and what the next call needs. The hosted sign-in page
 * does all of it by itself. Complete it with the client's method and hand its answer to `sessions.create`.
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

type Step<Code> = Omit<Extract<SignInStep, { readonly reason: Code }>, 'reason'> | undefined;

/** What each refusal holds of what the next call needs; nothing where it lacks the token to go on with. */
const steps: { readonly [Code in FlowErrorCode]: (body: Fields, token: string | null) => Step<Code> } = {
  organization_selection_required: ({ organizations }, token) =>
    withToken(token, { organizations: choicesIn(organizations, 'name') }),
  sso_required: ({ connection_ids }, token) => ({
    pendingAuthenticationToken: token,
    connectionIds: textsIn(connection_ids),
  }),
  organization_authentication_methods_required: ({ sso_connection_ids, auth_methods }) => {
    const methods = Object.entries(fieldsIn(auth_methods)).map(([name, allowed]) => [name, allowed === true]);
    return { ssoConnectionIds: textsIn(sso_connection_ids), authMethods: Object.fromEntries(methods) };
  },
  email_verification_required: ({ email }, token) => withToken(token, { email: textIn(email) }),
  mfa_challenge: ({ authentication_factors, authentication_challenge }, token) =>
    withToken(token, {
      authenticationFactors: choicesIn(authentication_factors, 'type'),
      authenticationChallengeId: textIn(fieldsIn(authentication_challenge).id),
    }),
  mfa_enrollment: ({ user }, token) => withToken(token, { userId: textIn(fieldsIn(user).id) }),
};

/** What there is to choose from: each by its id and by what it is called. */
const choicesIn = <Name extends string>(value: unknown, name: Name) =>
  (Array.isArray(value) ? value : []).map((choice) => {
    const text = (field: string): string => textIn(fieldsIn(choice)[field]) ?? '';
    // Its two names are those of the type.
    return { id: text('id'), [name]: text(name) } as { readonly [Field in 'id' | Name]: string };
  });
const withToken = <Details>(pendingAuthenticationToken: string | null, details: Details) =>
  pendingAuthenticationToken ? { pendingAuthenticationToken, ...details } : undefined;

/** The step that a refusal of the service asks for; undefined when there is none and the sign-in has failed. */
export function stepOf({ code, body }: GrantRefusal): SignInStep | undefined {
  if (!isFlowError(code)) return undefined;
  const step = steps[code](body, textIn(body.pending_authentication_token));
  // Each reader gives the step of its own code.
  return step && ({ reason: code, ...step } as SignInStep);
}
