import { beforeEach, describe, expect, test, vi } from 'vitest';
import { retryLater } from '../../src/oauth/outcome.js';
import { isRetriedUnasked, noAttempts, sendWithRetries } from '../../src/oauth/retries.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

const lost = retryLater('network_error', undefined);
const busy = (retryAfterMs: number) => retryLater('rate_limited', undefined, retryAfterMs);
const tokens = { status: 'ok' } as const;
const rejected = { status: 'misconfigured' } as const;

/** A request for tokens with these outcomes, each after a number of milliseconds. Records when each attempt starts. */
function request(outcomes: readonly { readonly status: string }[], ms = 0) {
  const starts: number[] = [];
  const send = async () => {
    starts.push(Date.now() - 1_000_000);
    if (ms) await new Promise((resolve) => setTimeout(resolve, ms));
    return outcomes[Math.min(starts.length, outcomes.length) - 1]!;
  };
  return { starts, send };
}

async function attemptsOf({ send }: ReturnType<typeof request>, failures = 0, maxRetries = 3) {
  const attempts = { ...noAttempts<{ readonly status: string }>(), failures };
  const outcome = sendWithRetries(attempts, send, Date.now, maxRetries);
  await vi.runAllTimersAsync();
  expect(attempts.latest).toBe(await outcome);
  return attempts;
}

describe('a failed token request', () => {
  test('is retried after half a second within one call', async () => {
    const sent = request([lost, tokens]);

    expect(await attemptsOf(sent)).toMatchObject({ latest: tokens, failures: 0, waitMs: 0 });
    expect(sent.starts).toEqual([0, 500]);
  });

  test.each([
    [0, 2, 2_000],
    [1, 2, 2_000],
    [2, 3, 8_000],
    [3, 4, 8_000],
    [9, 10, 8_000],
  ])(
    'raises the failure count from %i to %i, and sets a wait of %i ms before the next call',
    async (earlier, failures, waitMs) => {
      expect(await attemptsOf(request([lost]), earlier)).toMatchObject({ latest: lost, failures, waitMs });
    },
  );

  test('is retried after a wait measured from the start of the failed attempt', async () => {
    const sent = request([lost], 5_000);

    expect(await attemptsOf(sent)).toMatchObject({ latest: lost, failures: 3, waitMs: 3_000 });
    expect(sent.starts).toEqual([0, 5_000, 10_000]);
  });

  test('is retried within one call if the service asks for a wait of at most one second', async () => {
    const sent = request([busy(1_000), busy(0), tokens]);

    expect(await attemptsOf(sent)).toMatchObject({ latest: tokens });
    expect(sent.starts).toEqual([0, 1_000, 1_000]);
  });

  test.each([
    [1_001, 1_001],
    [7_000, 7_000],
    [30_001, 30_000],
  ])(
    'with a Retry-After of %i ms ends the call and sets a wait of %i ms before the next call',
    async (retryAfterMs, waitMs) => {
      expect(await attemptsOf(request([busy(retryAfterMs)]))).toMatchObject({ failures: 1, waitMs });
    },
  );

  test('is not delayed further if the clock is set back', async () => {
    const sent = request([lost]);
    const send = () => {
      vi.setSystemTime(Date.now() - 3_600_000);
      return sent.send();
    };

    expect(await attemptsOf({ ...sent, send })).toMatchObject({ latest: lost, failures: 2, waitMs: 2_000 });
  });

  test('is not retried if maxRetries is 0', async () => {
    const sent = request([lost]);

    expect(await attemptsOf(sent, 0, 0)).toMatchObject({ latest: lost, failures: 1, waitMs: 500 });
    expect(sent.starts).toEqual([0]);
  });
});

describe('a token request that gets a response', () => {
  test('is not retried if the response ends the session', async () => {
    const sent = request([{ status: 'ended' }]);

    expect(await attemptsOf(sent, 2)).toMatchObject({ latest: { status: 'ended' }, failures: 0, waitMs: 0 });
    expect(sent.starts).toEqual([0]);
  });

  test('is retried only in a later call if the response rejects the client', async () => {
    const sent = request([rejected]);

    expect(await attemptsOf(sent)).toMatchObject({ latest: rejected, failures: 1, waitMs: 500 });
    expect(sent.starts).toEqual([0]);
  });
});

describe('a token request is retried in the background', () => {
  const isSentAgain = async (outcomes: readonly { readonly status: string }[], failures = 0) =>
    isRetriedUnasked(await attemptsOf(request(outcomes), failures), 3);

  test('if the service may have handled the request', async () => {
    expect(await isSentAgain([lost])).toBe(true);
    expect(await isSentAgain([lost, busy(7_000)])).toBe(true);
  });

  test('unless the service rejected every attempt with 429', async () => {
    expect(await isSentAgain([busy(0), busy(7_000)])).toBe(false);
  });

  test('unless a response has arrived, the client was rejected, or three retries were made', async () => {
    expect(await isSentAgain([lost, tokens])).toBe(false);
    expect(await isSentAgain([lost, rejected])).toBe(false);
    expect(await isSentAgain([lost], 3)).toBe(false);
  });
});
