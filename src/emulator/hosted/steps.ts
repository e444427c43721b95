import { type Answer, redirect } from '../http/answer.js';
import { type AuthorizationRecord, authorizations } from '../sign-in/authorizations/authorizations.js';
import { continueAuthorization } from '../sign-in/authorizations/continue-authorization.js';
import { nextStep, type SignIn, type Step } from '../sign-in/flow/sign-in.js';
import type { Memory } from '../world/memory.js';
import { addressOf, type HostedPage } from './layout.js';

/** A place in an authorization. */
interface Place {
  readonly memory: Memory;
  readonly authorization: AuthorizationRecord;
}

/** Redirect to a page of the same authorization. */
export const goTo = (
  { authorization }: Pick<Place, 'authorization'>,
  name: HostedPage,
  more?: Readonly<Record<string, string>>,
): Answer => redirect(addressOf(name, authorization, more), 303);

/** Return the current step if it is of this kind. Otherwise another page must ask for the current step. */
export function stepOf<Kind extends Step['kind']>(
  { memory, authorization: { signIn } }: Place,
  kind: Kind,
): { readonly signIn: SignIn; readonly step: Extract<Step, { readonly kind: Kind }> } | undefined {
  const step = signIn === null ? undefined : nextStep(memory, signIn);
  // The cast is safe because the kinds are equal.
  return signIn && step?.kind === kind ? { signIn, step: step as Extract<Step, { readonly kind: Kind }> } : undefined;
}

/** Redirect to the page of the current step, or to the application if no step is left. */
export function goToCurrentStep(place: Place): Answer {
  const { memory } = place;
  const authorization = memory.of(authorizations).find(place.authorization.id);
  // The sign-in page also shows that an authorization has ended.
  if (!authorization?.signIn) return goTo(place, 'sign-in');
  const step = nextStep(memory, authorization.signIn);
  switch (step.kind) {
    case 'ready':
      return continueAuthorization(memory, authorization, authorization.signIn) ?? goToCurrentStep(place);
    case 'organization_selection':
      return goTo(place, 'organization');
    case 'email_verification':
      return goTo(place, 'verify-email');
    case 'mfa_challenge':
      return goTo(place, 'second-factor');
    case 'mfa_enrollment':
      return goTo(place, 'enroll');
    case 'methods_required':
      return goTo(place, 'password');
    case 'sso_required':
      return goToConnection(place, step.connectionIds);
  }
}

/** Redirect to the identity provider, or to the page for choosing one if there are several. */
export function goToConnection(place: Pick<Place, 'authorization'>, connectionIds: readonly string[]): Answer {
  const [only, ...others] = connectionIds;
  return only !== undefined && others.length === 0
    ? goTo(place, 'identity-provider', { connection: only })
    : goTo(place, 'single-sign-on');
}
