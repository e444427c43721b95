import { isRecord, isText, textIn } from '../../http/json.js';
import { asksForStep } from '../../oauth/outcome.js';
import { signInStepIn } from '../../oauth/step.js';
import { type Codec, Mismatch, snakeCase } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import type { SignInStepCode } from '../../service/flow-errors.js';
import type { PreparedRequest } from '../request/request.js';

/** Texts for each step of a sign-in, by the `code` or `error` of the response. */
export const flowErrors: Readonly<Record<SignInStepCode, readonly [what: string, next: string]>> = {
  organization_selection_required: [
    'the user has to choose an organization',
    'Show organizations, then call authenticateWithOrganizationSelection',
  ],
  sso_required: [
    'the user has to sign in with SSO',
    'Redirect to getAuthorizationUrl({ connectionId }) with one of connectionIds',
  ],
  organization_authentication_methods_required: [
    'the organization does not allow this way to sign in',
    'Offer the methods that are true in authMethods, or SSO with one of ssoConnectionIds',
  ],
  email_verification_required: [
    'the user has to verify the email address',
    'Ask for the code that was emailed, then call authenticateWithEmailVerification',
  ],
  mfa_challenge: [
    'the user has to verify a second factor',
    'Call mfa.challengeFactor for one of authenticationFactors, ask for the code, then call authenticateWithTotp',
  ],
  mfa_enrollment: [
    'the user has to enroll a second factor',
    'Call enrollAuthFactor for the user, ask for the code, then call authenticateWithTotp',
  ],
  sign_in_step_required: [
    'the service asks for a step that this version does not know',
    'Redirect the user to the hosted sign-in page, or take the step with request() and pendingAuthenticationToken',
  ],
};

/** The next step of a sign-in. */
export interface FlowStep {
  readonly code: SignInStepCode;
  /** What the sign-in waits for, and what to do next. */
  readonly texts: readonly [what: string, next: string];
  /** Data for the next call. */
  readonly details: object;
}

/** Return the sign-in step that the response to a request asks for, or undefined. */
export function flowStepIn(
  codec: Codec,
  { operation, url }: PreparedRequest,
  status: number,
  body: unknown,
): FlowStep | undefined {
  if (!isRecord(body)) return undefined;
  const isOther = asksForStep(status, body) && /\/user_management\/authenticate(?:\?|$)/.test(url);
  // Services send the name as `code` or as `error`. It takes precedence over the status.
  const listed = [body.code, body.error].filter(isText).find(isStepCode);
  const code = listed ?? (isOther ? 'sign_in_step_required' : undefined);
  const step = code && signInStepIn(code, body);
  if (!step) return undefined;
  const objects = Object.entries<Descriptor>(operation.io.step?.shape ?? {}).map(([name, field]) => [
    name,
    readable(codec, field, body[snakeCase(name)]),
  ]);
  const email = textIn(body.email) ?? undefined;
  const emailVerificationId = textIn(body.email_verification_id) ?? undefined;
  const [what, next] = flowErrors[code];
  return {
    code,
    texts: [`is not finished: ${what}`, next],
    details: { ...step, ...Object.fromEntries(objects), email, emailVerificationId },
  };
}

const isStepCode = (name: string): name is SignInStepCode => Object.hasOwn(flowErrors, name);

/** Read an object without the fields that do not match its description. Undefined if the rest does not match either. */
function readable(codec: Codec, field: Descriptor, value: unknown): unknown {
  try {
    return codec.decode(field, value);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const [name = ''] = error.path;
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    const { [name]: _, ...rest } = value;
    return readable(codec, field, rest);
  }
}
