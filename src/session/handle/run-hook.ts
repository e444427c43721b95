import { within } from '../../async/time-limit.js';
import { printableCause } from '../../errors/printable-cause.js';
import { redactor } from '../../errors/redact.js';
import type { Report } from '../read/reporter.js';
import type { CurrentSession } from '../read/session.js';
import type { SessionHooks, SignedOutEvent } from './hooks.js';

/** Milliseconds that a hook has. */
const maxHookMs = 10_000;

/** What a hook returned, or why it failed. */
export type HookOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly cause: Error };

/** Call a hook. Its errors are reported without the secrets. */
export async function runHook<T>(
  { report }: { readonly report: Report },
  name: keyof SessionHooks,
  call: (signal: AbortSignal) => T | Promise<T>,
  secrets: readonly string[] = [],
): Promise<HookOutcome<T>> {
  try {
    return { ok: true, value: await within(maxHookMs, async (signal) => call(signal)) };
  } catch (thrown) {
    const redact = redactor(secrets);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const cause = new Error(`${name} failed: ${redact(why)}`, { cause: printableCause(thrown, redact) });
    report({ reason: 'hook_failed', cause });
    return { ok: false, cause };
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
