import { isRecord, isText } from '../../http/json.js';
import { asksForStep, isFlowError } from '../../oauth/outcome.js';
import { type SignInStep, signInStepIn } from '../../oauth/step.js';
import type { SignInStepCode } from '../../service/flow-errors.js';
import type { PreparedRequest } from '../request/request.js';

/** Texts for each step of a sign-in, by the `code` or `error` of the response. */
export const flowErrors: Readonly<Record<SignInStepCode, readonly [what: string, next: string]>> = {
  organization_selection_required: [
    'did not finish: the user has to choose an organization',
    'Show step.organizations, then call authenticateWithOrganizationSelection',
  ],
  sso_required: [
    'did not finish: the user has to sign in with SSO',
    'Redirect to getAuthorizationUrl({ connectionId }) with one of step.connectionIds',
  ],
  organization_authentication_methods_required: [
    'did not finish: the organization does not allow this way to sign in',
    'Offer a method of step.authMethods, or SSO with one of step.ssoConnectionIds',
  ],
  email_verification_required: [
    'did not finish: the user has to verify the email address',
    'Ask for the code that was emailed, then call authenticateWithEmailVerification',
  ],
  mfa_challenge: [
    'did not finish: the user has to verify a second factor',
    'Call mfa.challengeFactor for one of step.authenticationFactors, ask for the code, then call authenticateWithTotp',
  ],
  mfa_enrollment: [
    'did not finish: the user has to enroll a second factor',
    'Call enrollAuthFactor for the user, ask for the code, then call authenticateWithTotp',
  ],
  sign_in_step_required: [
    'did not finish: the service asks for a step that this version does not know',
    'Redirect to the hosted sign-in page, or call request()',
  ],
};

/**
 * Return the sign-in step that the response to a request asks for, or undefined.
 *
 * @param serviceCode The code as the service sent it, without secrets, for a step that is not listed.
 */
export function flowStepIn(
  { url }: PreparedRequest,
  status: number,
  body: unknown,
  serviceCode: string | undefined,
): SignInStep | undefined {
  if (!isRecord(body)) return undefined;
  const isOther = asksForStep(status, body) && /\/user_management\/authenticate(?:\?|$)/.test(url);
  // Services send the name as `code` or as `error`. It takes precedence over the status.
  const listed = [body.code, body.error].filter(isText).find(isFlowError);
  const code = listed ?? (isOther ? 'sign_in_step_required' : undefined);
  return code && signInStepIn(code, body, serviceCode);
}
