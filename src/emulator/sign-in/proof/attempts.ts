import type { SallyportError } from '../../../errors/index.js';
import type { SsoOfAttempt } from '../../../service/events/data.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import type { Origin } from './sign-in.js';

/** How a user tried to sign in. These names are part of event types. */
export type AttemptType = 'email_verification' | 'magic_auth' | 'mfa' | 'oauth' | 'passkey' | 'password' | 'sso';

/** An attempt to sign in. User and address are null if they are unknown. */
export interface Attempt extends Pick<Origin, 'ipAddress' | 'userAgent'> {
  readonly type: AttemptType;
  readonly userId: string | null;
  readonly email: string | null;
  /** Connection, organization and session of an attempt by SSO. */
  readonly sso?: View<SsoOfAttempt> | undefined;
}

/** Emit the event for a successful proof. Call it once per proof. */
export function emitSuccess(memory: Memory, attempt: Attempt): void {
  memory.emit(`authentication.${attempt.type}_succeeded`, { ...eventView(attempt), status: 'succeeded' });
}

/** Emit the event for a failed attempt, with the error. */
export function emitFailure(memory: Memory, attempt: Attempt, { code, message }: SallyportError): void {
  memory.emit(`authentication.${attempt.type}_failed`, {
    ...eventView(attempt),
    status: 'failed',
    error: { code, message },
  });
}

const eventView = ({ type, ipAddress, userAgent, userId, email, sso }: Attempt) => ({
  type,
  ipAddress,
  userAgent,
  userId,
  email,
  ...(sso === undefined ? {} : { sso }),
});
