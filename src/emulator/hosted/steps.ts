import type { FlowErrorCode } from '../../service/flow-errors.js';
import { type Answer, redirect } from '../http/answer.js';
import { type AuthorizationRecord, authorizations } from '../sign-in/authorizations/authorizations.js';
import { continueAuthorization } from '../sign-in/authorizations/continue-authorization.js';
import { type NextStep, nextStep, type SignIn } from '../sign-in/proof/sign-in.js';
import type { Memory } from '../world/memory.js';

/** The page for each step of a sign-in, by the code of its flow error. */
const pageOfStep = {
  email_verification_required: 'email-verification',
  mfa_challenge: 'mfa-challenge',
  mfa_enrollment: 'mfa-enrollment',
  organization_authentication_methods_required: 'authentication-methods',
  organization_selection_required: 'organization-selection',
  sso_required: 'sso',
} as const satisfies Readonly<Record<FlowErrorCode, string>>;

/** A hosted page, by the last segment of its path: the page for a step, or one that leads to a proof. */
export type PageName =
  | (typeof pageOfStep)[FlowErrorCode]
  | 'code'
  | 'forgot-password'
  | 'identity-provider'
  | 'provider'
  | 'sign-in'
  | 'sign-up';

/** A place in an authorization. */
export interface Place {
  readonly memory: Memory;
  readonly authorization: AuthorizationRecord;
}

/** Build the path and query of a page for an authorization. */
export const addressOf = (
  name: PageName,
  { token }: AuthorizationRecord,
  more: Readonly<Record<string, string>> = {},
): string => `/hosted/${name}?${new URLSearchParams({ authorization: token, ...more })}`;

/** Redirect to a page of the same authorization. */
export const goTo = (
  { authorization }: Pick<Place, 'authorization'>,
  name: PageName,
  more?: Readonly<Record<string, string>>,
): Answer => redirect(addressOf(name, authorization, more), 303);

/** Return the current step if it is of this kind. Otherwise another page must ask for the current step. */
export function stepOf<Kind extends NextStep['kind']>(
  { memory, authorization: { signIn } }: Place,
  kind: Kind,
): { readonly signIn: SignIn; readonly step: Extract<NextStep, { readonly kind: Kind }> } | undefined {
  const step = signIn === null ? undefined : nextStep(memory, signIn);
  // The cast is safe because the kinds are equal.
  return signIn && step?.kind === kind
    ? { signIn, step: step as Extract<NextStep, { readonly kind: Kind }> }
    : undefined;
}

/** Redirect to the page of the current step, or to the application if no step is left. */
export function goToCurrentStep(place: Place): Answer {
  const { memory } = place;
  const authorization = memory.of(authorizations).find(place.authorization.id);
  // The sign-in page also shows that an authorization has ended.
  if (!authorization?.signIn) return goTo(place, 'sign-in');
  const step = nextStep(memory, authorization.signIn);
  if (step.kind === 'ready')
    return continueAuthorization(memory, authorization, authorization.signIn) ?? goToCurrentStep(place);
  return step.kind === 'sso_required' ? goToConnection(place, step.connectionIds) : goTo(place, pageOfStep[step.kind]);
}

/** Redirect to the identity provider, or to the page for choosing one if there are several. */
export function goToConnection(place: Pick<Place, 'authorization'>, connectionIds: readonly string[]): Answer {
  const [only, ...others] = connectionIds;
  return only !== undefined && others.length === 0
    ? goTo(place, 'identity-provider', { connection: only })
    : goTo(place, pageOfStep.sso_required);
}
