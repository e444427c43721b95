import { didYouMean } from '../../../errors/nearest.js';
import { between, body, type Fields, optional, ref } from '../../../service/describe/define.js';
import { del, put } from '../../../service/describe/operation.js';
import { type RateLimit, rateLimits } from '../../../service/rate-limits.js';
import { control } from '../../server/control.js';
import { rateLimiter } from '../../server/rate-limiter.js';
import { unprocessableField } from '../../world/refusal.js';

const newRateLimit = body({
  /** Requests that are allowed; as published when not given. */
  requests: optional(between(0, 1_000_000)),
  /** Seconds in which they are allowed; as published when not given. */
  seconds: optional(between(1, 86_400)),
});
/** How much a rate limit allows; where nothing is said, as published. */
export interface NewRateLimit extends Readonly<Fields<typeof newRateLimit>> {}

function limitNamed(name: string): RateLimit {
  const limit = rateLimits.find((one) => one.name === name);
  if (limit) return limit;
  const names = rateLimits.map((one) => one.name);
  throw unprocessableField('name', 'invalid_value', `must be one of ${names.join(', ')}${didYouMean(name, names)}`);
}

/** What the service allows of everybody. */
export const rateLimitControls = {
  /**
   * Limit something from now on, whether the option `rateLimits` is set or not; requests that were counted before stay counted.
   * Names the limit as `rateLimits` of `sallyport/emulator` does.
   *
   * @example
   * await emulator.setRateLimit('magic_auth_send', { requests: 1 });
   *
   * @throws {Refusal} 422 for a limit that the service does not have.
   */
  setRateLimit: control(
    put('/_emulator/rate_limits/:name', { body: ref<NewRateLimit>(newRateLimit) }),
    ({ world }, name, allowance: NewRateLimit = {}) => {
      const limit = limitNamed(name);
      const { requests = limit.requests, seconds = limit.seconds } = allowance;
      world.of(rateLimiter).set(limit.name, { requests, seconds });
    },
  ),
  /**
   * Limit something no longer, until it is set or the emulator is reset.
   *
   * @throws {Refusal} 422 for a limit that the service does not have.
   */
  clearRateLimit: control(del('/_emulator/rate_limits/:name', {}), ({ world }, name) =>
    world.of(rateLimiter).clear(limitNamed(name).name),
  ),
};
