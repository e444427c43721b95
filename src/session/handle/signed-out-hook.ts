import type { CurrentSession } from '../read/session.js';
import type { SignedOutEvent } from './hooks.js';
import { runHook } from './run-hook.js';
import type { SessionContext } from './session-context.js';

/** Call `onSignedOut`. Never rejects. */
export async function callSignedOut(
  context: SessionContext,
  { userId, sessionId }: Pick<CurrentSession, 'userId' | 'sessionId'>,
  reason: SignedOutEvent['reason'],
): Promise<void> {
  const { onSignedOut } = context.hooks;
  if (onSignedOut)
    await runHook(context, 'onSignedOut', (signal) => onSignedOut({ userId, sessionId, reason, signal }));
}
