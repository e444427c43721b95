import { quotable } from '../errors/redact.js';
import { isFlowError } from '../oauth/flow-errors.js';
import type { GrantRefusal } from '../oauth/token-answer.js';
import { BrowserError } from './browser-error.js';

/**
 * The service said no to this client, or to what was asked.
 *
 * @param secrets What was sent. A service that repeats it must not bring a token into a message.
 */
export function refused(
  { code, message }: Pick<GrantRefusal, 'code' | 'message'>,
  secrets: string[] = [],
): BrowserError {
  const reason = quotable(code, secrets);
  return new BrowserError('refused', {
    what: `The service refused: ${reason}`,
    why: quotable(message ?? '', secrets),
    next: nextAfter(reason),
    reason,
  });
}

const nextAfter = (reason: string): string => {
  if (isFlowError(reason))
    return 'Call signIn() without a provider: the hosted page asks for what is missing. For the single sign-on of an organization pass its organizationId';
  return reason === 'invalid_grant'
    ? 'Call signIn() again'
    : 'Check clientId, redirectUri and baseUrl against the settings of your application';
};
