import { isFlowError } from '../oauth/flow-errors.js';
import { BrowserError } from './browser-error.js';
import type { BrowserConfig } from './options.js';
import type { NoSessionReason } from './results.js';
import type { Later, Refused } from './token-request.js';

const why: Readonly<Record<Later['reason'], string>> = {
  network_error:
    'The network is down, or the service does not let pages of this origin call it (CORS); a page cannot tell which',
  timeout: 'It did not answer within 10 seconds',
  rate_limited: 'It asks for fewer requests (429)',
  service_unavailable: 'It has a fault of its own (5xx)',
  unexpected_answer: 'What answered is not the service, but perhaps a proxy or the sign-in page of a network',
};

/** The service could not be asked: nothing is lost. */
export const retryLater = ({ baseUrl }: BrowserConfig, { reason, retryAfterMs, cause }: Later): BrowserError =>
  new BrowserError(
    'retry_later',
    {
      what: `The service at ${baseUrl} could not be asked for tokens`,
      why: why[reason],
      next: `Try again later; nobody was signed out${reason === 'network_error' ? '. If it never works, check baseUrl and that a redirect URI of this origin is registered' : ''}`,
      reason,
      retryAfterMs,
    },
    { cause },
  );

/** The service said no to this client, or to what was asked. */
export const refused = ({ reason, description }: Omit<Refused, 'kind'>): BrowserError =>
  new BrowserError('refused', {
    what: `The service refused: ${reason}`,
    why: description,
    next: nextAfter(reason),
    reason,
  });

/** The session is over. */
export const signedOut = (reason: NoSessionReason): BrowserError =>
  new BrowserError('signed_out', {
    what: 'Nobody is signed in',
    why: reason === 'no_session' ? undefined : `The session has ended: ${reason}`,
    next: 'Call signIn()',
    reason,
  });

const nextAfter = (reason: string): string => {
  if (isFlowError(reason))
    return 'Call signIn() without a provider: the hosted page asks for what is missing. For the single sign-on of an organization pass its organizationId';
  return reason === 'invalid_grant'
    ? 'Call signIn() again'
    : 'Check clientId, redirectUri and baseUrl against the settings of your application';
};
