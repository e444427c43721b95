import { quotable } from '../errors/redact.js';
import { type Ended, isFlowError } from '../oauth/outcome.js';
import { BrowserError } from './browser-error.js';

/**
 * Create the error for a rejection by the service.
 *
 * @param secrets Secrets of the request, which the service may repeat in its message.
 */
export function refusedError(
  { reason: code, serviceCode, message }: Pick<Ended, 'reason' | 'serviceCode' | 'message'>,
  secrets: string[] = [],
): BrowserError {
  const reason = quotable(code, secrets);
  return new BrowserError('refused', {
    what: `The service rejected the request: ${quotable(serviceCode || code, secrets)}`,
    why: quotable(message ?? '', secrets),
    next: nextAfter(reason),
    reason,
  });
}

const nextAfter = (reason: string): string => {
  if (isFlowError(reason))
    return 'Call signIn() without a provider: the hosted page handles the missing step. For the single sign-on of an organization, pass its organizationId';
  return reason === 'invalid_grant'
    ? 'Call signIn() again'
    : 'Check clientId, redirectUri and baseUrl against the settings of your application';
};
