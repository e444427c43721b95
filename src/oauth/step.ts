import { isRecord, isText, textIn, textsIn } from '../http/json.js';
import type { FactorChoice, OrganizationChoice, SignInStepCode } from '../service/flow-errors.js';

/**
 * The next step of a sign-in with a connection or social provider, with the data for the next call. The hosted sign-in page handles
 * these steps for you. Otherwise call the client's method and pass its result to `sessions.create`.
 */
export type SignInStep =
  | {
      /** Ask the user to choose an organization, then call `authenticateWithOrganizationSelection`. */
      readonly reason: 'organization_selection_required';
      readonly pendingAuthenticationToken: string;
      readonly organizations: readonly OrganizationChoice[];
    }
  | {
      /** Start again with one of the connections: `startSignIn(request, { connectionId, pendingAuthenticationToken })`. */
      readonly reason: 'sso_required';
      /** Null if none is needed. */
      readonly pendingAuthenticationToken: string | null;
      readonly connectionIds: readonly string[];
    }
  | {
      /** The organization does not allow this method: start again with one that it allows. */
      readonly reason: 'organization_authentication_methods_required';
      /** Absent if the service sends none. */
      readonly pendingAuthenticationToken?: string;
      readonly ssoConnectionIds: readonly string[];
      /** Whether each method is allowed, keyed by the service's name, such as `magic_auth`, `password` or `google_oauth`. */
      readonly authMethods: Readonly<Record<string, boolean>>;
    }
  | {
      /** The service has emailed a code. Ask the user for it, then call `authenticateWithEmailVerification`. */
      readonly reason: 'email_verification_required';
      readonly pendingAuthenticationToken: string;
      /** Email address that the code was sent to; null if the service does not send it. */
      readonly email: string | null;
    }
  | {
      /** Challenge one of the factors, then call `authenticateWithTotp`. */
      readonly reason: 'mfa_challenge';
      readonly pendingAuthenticationToken: string;
      readonly authenticationFactors: readonly FactorChoice[];
      /** A challenge that the service has already created; null if there is none. */
      readonly authenticationChallengeId: string | null;
    }
  | {
      /** Enroll a factor for the user and challenge it, then call `authenticateWithTotp`. */
      readonly reason: 'mfa_enrollment';
      readonly pendingAuthenticationToken: string;
      /** Null if the service does not send it. */
      readonly userId: string | null;
    }
  | {
      /** A step that this version does not know. Redirect the user to the hosted sign-in page, or use `sallyport.request`. */
      readonly reason: 'sign_in_step_required';
      readonly type: 'other';
      readonly pendingAuthenticationToken: string;
      /** The service's code, such as `radar_email_challenge`; null if it sends none. */
      readonly serviceCode: string | null;
    };

type WireFields = Readonly<Record<string, unknown>>;

const fieldsIn = (value: unknown): WireFields => (isRecord(value) ? value : {});

type StepFields<Code> = Omit<Extract<SignInStep, { readonly reason: Code }>, 'reason'> | undefined;

/** Reads the data for a step. Returns undefined if the next call is not possible: the pending token is missing, or the connections. */
type StepReader<Code> = (body: WireFields, token: string | null, serviceCode: string | null) => StepFields<Code>;

const steps: { readonly [Code in SignInStepCode]: StepReader<Code> } = {
  organization_selection_required: ({ organizations }, token) =>
    withToken(token, { organizations: choicesIn(organizations, 'name') }),
  sso_required: ({ connection_ids }, token) =>
    token || Array.isArray(connection_ids)
      ? { pendingAuthenticationToken: token, connectionIds: textsIn(connection_ids) }
      : undefined,
  organization_authentication_methods_required: ({ sso_connection_ids, auth_methods }, token) => {
    const methods = Object.entries(fieldsIn(auth_methods)).map(([name, allowed]) => [name, allowed === true]);
    const fields = { ssoConnectionIds: textsIn(sso_connection_ids), authMethods: Object.fromEntries(methods) };
    const isWhole = isRecord(auth_methods) && Array.isArray(sso_connection_ids);
    return withToken(token, fields) ?? (isWhole ? fields : undefined);
  },
  email_verification_required: ({ email }, token) => withToken(token, { email: textIn(email) }),
  mfa_challenge: ({ authentication_factors, authentication_challenge }, token) =>
    withToken(token, {
      authenticationFactors: choicesIn(authentication_factors, 'type'),
      authenticationChallengeId: textIn(fieldsIn(authentication_challenge).id),
    }),
  mfa_enrollment: ({ user }, token) => withToken(token, { userId: textIn(fieldsIn(user).id) }),
  sign_in_step_required: (_, token, serviceCode) => withToken(token, { type: 'other', serviceCode }),
};

/** Read a list of choices, each with its id and one other field. Choices without an id are left out. */
const choicesIn = <Name extends string>(value: unknown, name: Name) =>
  (Array.isArray(value) ? value : [])
    .map(fieldsIn)
    .filter(({ id }) => isText(id))
    // The object has the two fields of the type. It keeps unknown fields.
    .map(
      (choice) => ({ ...choice, [name]: textIn(choice[name]) ?? '' }) as { readonly [Field in 'id' | Name]: string },
    );
const withToken = <const Details>(pendingAuthenticationToken: string | null, details: Details) =>
  pendingAuthenticationToken ? { pendingAuthenticationToken, ...details } : undefined;

/**
 * Return the step that an error code asks for, or undefined if the sign-in has failed.
 *
 * @param serviceCode The code as the service sent it, without secrets, for a step that is not listed.
 */
export function signInStepIn(code: string, body: WireFields, serviceCode?: string): SignInStep | undefined {
  if (!Object.hasOwn(steps, code)) return undefined;
  const step = steps[code as SignInStepCode](body, textIn(body.pending_authentication_token), serviceCode || null);
  // Each reader returns the step of its code.
  return step && ({ reason: code, ...step } as SignInStep);
}
