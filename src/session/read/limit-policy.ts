import type { SessionLimitsOptions } from './session-limits.js';

/** The effects of limits on a session, its cookies and its result. */
type LimitPolicy = typeof import('./enforce-limits.js');

const noLimits: LimitPolicy = {
  withinLimits: async (_, session) => session,
  noteActivity: async (_, __, result) => result,
  writeActivity: async (_, __, result) => result,
  endedCookies: () => [],
  clearActivity: () => [],
  clearLimitCookies: () => [],
  isMarkedEnded: () => false,
};

/** Get the policy of sessions. The code for limits is loaded on demand: most applications have none. */
export const limitPolicy = ({
  limits,
}: {
  readonly limits: SessionLimitsOptions | undefined;
}): LimitPolicy | Promise<LimitPolicy> => (limits ? import('./enforce-limits.js') : noLimits);
