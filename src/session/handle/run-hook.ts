import { within } from '../../async/time-limit.js';
import { printableCause } from '../../errors/printable-cause.js';
import { redactor } from '../../errors/redact.js';
import type { Report } from '../read/reporter.js';
import type { CurrentSession } from '../read/session.js';
import type { SessionHooks, SignedOutEvent } from './hooks.js';

/** Milliseconds that a hook has. */
const maxHookMs = 10_000;

/** A hook that has failed. */
export interface HookFailure {
  readonly reason: 'hook_failed';
  readonly cause: Error;
}

/** Call a hook, and return what it returned. Its errors are reported without the secrets. */
export async function runHook<T>(
  { report }: { readonly report: Report },
  name: keyof SessionHooks,
  call: (signal: AbortSignal) => T | Promise<T>,
  secrets: readonly string[] = [],
): Promise<T | HookFailure> {
  try {
    return await within(maxHookMs, async (signal) => call(signal));
  } catch (thrown) {
    const redact = redactor(secrets);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const cause = new Error(`${name} failed: ${redact(why)}`, { cause: printableCause(thrown, redact) });
    const failure = { reason: 'hook_failed', cause } as const;
    report(failure);
    return failure;
  }
}

/** Call `onSignedOut`, if there is one. Never rejects. */
export async function callSignedOut(
  context: { readonly report: Report; readonly hooks: SessionHooks },
  { userId, sessionId }: Pick<CurrentSession, 'userId' | 'sessionId'>,
  reason: SignedOutEvent['reason'],
): Promise<void> {
  const { onSignedOut } = context.hooks;
  if (onSignedOut)
    await runHook(context, 'onSignedOut', (signal) => onSignedOut({ userId, sessionId, reason, signal }));
}
