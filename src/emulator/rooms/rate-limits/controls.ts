import { didYouMean } from '../../../errors/nearest.js';
import { between, body, type Fields, optional, ref } from '../../../service/describe/define.js';
import { del, put } from '../../../service/describe/operation.js';
import { type RateLimit, rateLimits } from '../../../service/rates/rate-limits.js';
import { control } from '../../http/control.js';
import { unprocessableField } from '../../store/refusal.js';
import { rateLimiter } from './rate-limiter.js';

const newRateLimit = body({
  /** Number of requests. Default: the published number. */
  requests: optional(between(0, 1_000_000)),
  /** Length of the window in milliseconds. Default: the published length. */
  windowMs: optional(between(1, 86_400_000)),
});
/** A rate limit. Omitted fields have their published values. */
export interface NewRateLimit extends Readonly<Fields<typeof newRateLimit>> {}

function limitNamed(name: string): RateLimit {
  const limit = rateLimits.find((one) => one.name === name);
  if (limit) return limit;
  const names = rateLimits.map((one) => one.name);
  throw unprocessableField('name', 'invalid_value', `must be one of ${names.join(', ')}${didYouMean(name, names)}`);
}

/** The rate limits of the service. */
export const rateLimitControls = {
  /**
   * Set and enforce a rate limit, even if the option `rateLimits` is not set. Earlier requests stay counted. For the names of the
   * limits, see `rateLimits` of `sallyport/emulator`.
   *
   * @example
   * await emulator.setRateLimit('magic_auth_send', { requests: 1 });
   *
   * @throws {EmulatorRefusal} 422 for a limit that the service does not have.
   */
  setRateLimit: control(
    put('/_emulator/rate_limits/:name', { body: ref<NewRateLimit>(newRateLimit) }),
    ({ memory }, name, allowance: NewRateLimit = {}) => {
      const limit = limitNamed(name);
      const { requests = limit.requests, windowMs = limit.windowMs } = allowance;
      memory.of(rateLimiter).set(limit.name, { requests, windowMs });
    },
  ),
  /**
   * Stop enforcing a rate limit, until it is set again or the emulator is reset.
   *
   * @throws {EmulatorRefusal} 422 for a limit that the service does not have.
   */
  clearRateLimit: control(del('/_emulator/rate_limits/:name', {}), ({ memory }, name) =>
    memory.of(rateLimiter).clear(limitNamed(name).name),
  ),
};
