import type { OptionNames } from '../../errors/known-options.js';
import { checkOption, isPlainObject } from '../../errors/known-options.js';
import { kindOf } from '../../errors/option-values.js';
import type { CurrentSession } from './session.js';

/** How long a session lasts. */
export interface SessionLimits {
  /**
   * Milliseconds without activity of the user, 120,000 or more; default: no limit. Opening a page counts as activity, and so does a
   * request that may change something. Prefetches and fetched data do not.
   */
  readonly idleMs?: number | undefined;
  /** Milliseconds since the sign-in; default: no limit. */
  readonly lifetimeMs?: number | undefined;
}

/** Option `limits` of sessions. */
export interface SessionLimitsOptions extends SessionLimits {
  /** Get the limits of an organization, which apply while they are shorter than the others. Called on every check. */
  readonly ofOrganization?: ((organizationId: string) => SessionLimits | undefined) | undefined;
}

/** Why a limit ended a session. */
export type LimitReason =
  /** The user was not active for `limits.idleMs`. */
  | 'idle'
  /** The sign-in was `limits.lifetimeMs` ago. */
  | 'lifetime';

/** Whether a limit ended the session. */
export const isLimitReason = (reason: string | undefined): reason is LimitReason =>
  reason === 'idle' || reason === 'lifetime';

/** The names of these options. */
export const limitNames: OptionNames<SessionLimitsOptions> = { idleMs: 1, lifetimeMs: 1, ofOrganization: 1 };

/** Check the limits. @throws {ConfigurationError} `invalid_option`. */
export function checkedLimits(limits: SessionLimitsOptions | undefined): SessionLimitsOptions | undefined {
  if (!limits) return undefined;
  checkOption(
    limits.ofOrganization === undefined || typeof limits.ofOrganization === 'function',
    'limits.ofOrganization',
    'must be a function',
  );
  checkNumbers('limits', limits);
  return limits;
}

function checkNumbers(option: string, { idleMs = 120_000, lifetimeMs = 1 }: SessionLimits): void {
  checkOption(
    Number.isFinite(idleMs) && idleMs >= 120_000,
    `${option}.idleMs`,
    'must be a number of milliseconds, 120,000 or more',
  );
  checkOption(
    Number.isFinite(lifetimeMs) && lifetimeMs > 0,
    `${option}.lifetimeMs`,
    'must be a number of milliseconds, 1 or more',
  );
}

/** Return the limits of a session, Infinity if there is none. @throws {ConfigurationError} The organization has a wrong limit. */
export function limitsOf(
  { idleMs = Infinity, lifetimeMs = Infinity, ofOrganization }: SessionLimitsOptions = {},
  { organizationId }: Pick<CurrentSession, 'organizationId'>,
): Required<{ readonly [Name in keyof SessionLimits]: number }> {
  const own = (organizationId === null ? undefined : ofOrganization?.(organizationId)) ?? {};
  // A promise would have no limit.
  checkOption(isPlainObject(own), 'limits.ofOrganization', `must return an object with limits, not ${kindOf(own)}`);
  checkNumbers('limits.ofOrganization', own);
  return {
    idleMs: Math.min(idleMs, own.idleMs ?? Infinity),
    lifetimeMs: Math.min(lifetimeMs, own.lifetimeMs ?? Infinity),
  };
}
