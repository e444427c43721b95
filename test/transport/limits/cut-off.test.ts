import type { SallyportOptions } from 'sallyport';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import fc, { runs } from '../../runner/property.js';
import { clientOf } from '../../servers/server.js';
import { wireOrganization } from '../../servers/wire.js';
import { workerRequests } from './requests.js';

let requests: ReturnType<typeof workerRequests>;
beforeEach(() => {
  requests = workerRequests();
});
afterEach(() => {
  requests.end();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Let time pass in steps of 25 ms. All timers that are due in a step fire before their consequences. */
async function passFast(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 25) {
    vi.advanceTimersByTime(Math.min(25, left));
    await new Promise(setImmediate);
  }
}
const never = () => new Promise<never>(() => {});

/** A client, and a service that answers `get(1500)` after 1.5 s. The client has made a call, so its code is loaded. */
async function serviceOf(options: Partial<SallyportOptions>) {
  const service = { open: 0, mostOpen: 0, sent: 0 };
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    // In workerd, nothing that a request started continues after its end.
    if (requests.isOver()) return never();
    service.sent += 1;
    service.open += 1;
    service.mostOpen = Math.max(service.mostOpen, service.open);
    let isOpen = true;
    const close = () => {
      if (isOpen) service.open -= 1;
      isOpen = false;
    };
    requests.onCut(close);
    await new Promise((resolve) => setTimeout(resolve, Number(/\d+$/.exec(String(url))![0])));
    close();
    return Response.json(wireOrganization());
  };
  const sallyport = clientOf({ url: 'https://api.acme.test' }, { maxRetries: 0, fetch, ...options });
  const get = (ms: number, given: object = {}) => sallyport.organizations.getOrganization(`org_${ms}`, given);
  let isReady = false;
  void get(1).then(() => {
    isReady = true;
  });
  while (!isReady) {
    await pass(1);
    await new Promise(setImmediate);
  }
  await pass(1_000);
  service.sent = 0;
  return { service, get };
}

const onePlace = { maxConcurrent: 1 };
const onePerHalfSecond = {
  limits: { mode: 'published', limits: { all_requests: { requests: 1, windowMs: 500 } } },
} as const;

describe.each([
  ['maxConcurrent: 1', onePlace],
  ['a limit of one request per half second', onePerHalfSecond],
  ['maxConcurrent: 1 and a rate limit', { ...onePlace, ...onePerHalfSecond }],
])('with %s,', (_, options) => {
  test('a call completes even if an earlier call was canceled in flight', async () => {
    const { get } = await serviceOf(options);
    const cut = requests.handle(() => get(1_500));
    await pass(100);
    cut();
    await pass(2_500);

    const answer = vi.fn();
    requests.handle(() => get(20, { deadlineMs: 6_000 }).then(answer));
    await pass(6_000);

    expect(answer).toHaveBeenCalledOnce();
  });

  test('a queued call completes even if the preceding queued call was canceled', async () => {
    const { get } = await serviceOf(options);
    requests.handle(() => get(1_000));
    await pass(10);
    const cut = requests.handle(() => get(20));
    const answer = vi.fn();
    requests.handle(() => get(20).then(answer));
    await pass(10);
    cut();

    await pass(8_000);

    expect(answer).toHaveBeenCalledOnce();
  });

  test('queued calls complete in order', async () => {
    const { get } = await serviceOf(options);
    const order: number[] = [];
    const cuts = [1, 2, 3].map((at) => {
      const cut = requests.handle(() =>
        get(20).then(() => {
          order.push(at);
          cut();
        }),
      );
      return cut;
    });

    await pass(2_000);

    expect(cuts).toHaveLength(3);
    expect(order).toEqual([1, 2, 3]);
  });
});

test('a slow request keeps its concurrency slot until it ends', async () => {
  const { service, get } = await serviceOf(onePlace);
  requests.handle(() => get(25_000));
  const answer = vi.fn();
  requests.handle(() => get(20).then(answer));

  await pass(24_900);
  expect(service.sent).toBe(1);
  await pass(200);

  expect(answer).toHaveBeenCalledOnce();
});

test('a call keeps its concurrency slot while a computation blocks every timer for ten seconds', async () => {
  const { service, get } = await serviceOf(onePlace);
  requests.handle(() => get(25_000));
  for (let at = 0; at < 5; at++) requests.handle(() => get(20));
  await pass(700);

  // All timers are due at once, and no continuation runs between them, as after a long computation.
  vi.advanceTimersByTime(10_000);
  await pass(0);

  expect(service.mostOpen).toBe(1);
});

test('maxConcurrent is never exceeded even if half of the requests are canceled', async () => {
  const { service, get } = await serviceOf({ maxConcurrent: 20, timeoutMs: 2_000, deadlineMs: 600_000 });
  const seed = fc.readConfigureGlobal().seed ?? Date.now();
  const count = runs(10_000);
  const times = fc.record({
    beginsAfterMs: fc.oneof(fc.constant(0), fc.nat(500)),
    answersInMs: fc.nat(300),
    cutAfterMs: fc.nat(1_000),
  });
  // Enough concurrent calls to take every place.
  for (let at = 0; at < 40; at++) requests.handle(() => get(100));
  const outcomes = { answered: 0, late: 0, cut: 0 };
  for (const [at, { beginsAfterMs, answersInMs, cutAfterMs }] of fc.sample(times, { numRuns: count, seed }).entries()) {
    await passFast(beginsAfterMs);
    if (at % 2 === 0) {
      // One in twenty takes longer than `timeoutMs`.
      const ms = at % 40 === 0 ? 3_000 : answersInMs + 1;
      requests.handle(async () => {
        const error = await get(ms).then(
          () => undefined,
          (thrown: unknown) => (thrown as Error).name,
        );
        outcomes[error === 'TimeoutError' ? 'late' : 'answered'] += 1;
      });
    } else {
      const cut = requests.handle(() => get(1_500));
      setTimeout(() => {
        outcomes.cut += 1;
        cut();
      }, cutAfterMs);
    }
  }
  await passFast(60_000);

  expect(outcomes, `with seed ${seed}`).toEqual({
    answered: (count / 40) * 19,
    late: count / 40,
    cut: count / 2,
  });
  expect(service.mostOpen).toBe(20);
  expect(service.open).toBe(0);
}, 600_000);
