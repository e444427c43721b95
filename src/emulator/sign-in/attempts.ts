import type { SallyportError } from '../../errors/index.js';
import type { SsoOfAttempt } from '../../service/event-data.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import type { Origin } from './sign-in.js';

/** How somebody has tried to sign in, as events call it. */
export type AttemptType = 'email_verification' | 'magic_auth' | 'mfa' | 'oauth' | 'passkey' | 'password' | 'sso';

/** Who has tried, as far as it is known. */
export interface Attempt extends Pick<Origin, 'ipAddress' | 'userAgent'> {
  readonly type: AttemptType;
  readonly userId: string | null;
  readonly email: string | null;
  /** How far an attempt by SSO has come. */
  readonly sso?: View<SsoOfAttempt> | undefined;
}

/** Emit that somebody has proven something: once for each proof, when it is given. */
export function emitSuccess(world: World, attempt: Attempt): void {
  world.emit(`authentication.${attempt.type}_succeeded`, { ...eventView(attempt), status: 'succeeded' });
}

/** Emit that somebody has tried and failed. */
export function emitFailure(world: World, attempt: Attempt, { code, message }: SallyportError): void {
  world.emit(`authentication.${attempt.type}_failed`, {
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
  // Of attempts by SSO only; whoever makes one says how far it came.
  ...(sso === undefined ? {} : { sso }),
});
