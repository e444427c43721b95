import { describe, expect, test, vi } from 'vitest';
import { retryLater } from '../../src/oauth/outcome.js';
import type { AuthenticationResponse } from '../../src/service/authentication.js';
import type { ReadResult } from '../../src/session/read/reader.js';
import type { CurrentSession } from '../../src/session/read/session.js';
import type { GrantOutcome } from '../../src/session/refresh/authenticator.js';
import { type RefreshContext, refresh } from '../../src/session/refresh/refresh.js';

const entries = [
  { id: '2', secret: 'correct-horse-battery-staple-0002' },
  { id: '1', secret: 'correct-horse-battery-staple-0001' },
] as const;
// Only the id of the user is read.
const user = (id: string) => ({ id, email: 'ada@example.com' }) as AuthenticationResponse['user'];
const spent = { accessToken: 'a0', refreshToken: 'r0', user: user('user_1') };
const content = { sealed: spent, entry: entries[0] };
const tokens = (userId = 'user_1'): GrantOutcome => ({
  status: 'ok',
  tokens: { accessToken: 'a1', refreshToken: 'r1', user: user(userId), organizationId: null } as AuthenticationResponse,
});
const rejected: GrantOutcome = {
  status: 'ended',
  reason: 'invalid_grant',
  message: null,
  body: {},
  cause: new Error('The service answered a token request with status 400'),
};
const read = (status: 'active' | 'expired', userId: string, expiresAt: number): ReadResult => ({
  status,
  // Only the fields that a refresh reads.
  session: {
    user: user(userId),
    sessionId: 'session_1',
    organizationId: null,
    expiresAtMs: expiresAt,
  } as CurrentSession,
  outdatedPassword: false,
});

const kit = (overrides: Partial<RefreshContext>): RefreshContext => {
  const fetcher = () => undefined;
  return {
    scope: 'https://service.test client_01',
    fetcher: () => fetcher,
    now: Date.now,
    graceMs: 0,
    retryPolicy: { timeoutMs: 5_000, deadlineMs: 10_000, maxRetries: 0 },
    entries,
    store: undefined,
    authenticate: async () => tokens(),
    check: async ({ user: { id } }) => read('active', id, 300_000),
    ...overrides,
  };
};

describe('a refresh', () => {
  test('returns the new session', async () => {
    expect(await refresh(kit({}), content)).toMatchObject({ status: 'ok', sealed: { refreshToken: 'r1' } });
  });

  test('that returns a different user fails with unexpected_answer, even if the session id matches', async () => {
    const result = await refresh(kit({ authenticate: async () => tokens('user_2') }), content);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
  });

  test('that is rejected ends the session if no other process could have used the token', async () => {
    expect(await refresh(kit({ authenticate: async () => rejected }), content)).toMatchObject({
      status: 'ended',
      reason: 'invalid_grant',
    });
  });

  test('that is rejected does not end the session while another process could have used the token', async () => {
    const authenticate = vi
      .fn<RefreshContext['authenticate']>()
      .mockResolvedValueOnce(rejected)
      .mockResolvedValueOnce(retryLater('network_error', undefined));

    const result = await refresh(kit({ authenticate }), content);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'network_error' });
  });

  test('is repeated until the deadline if each new token has already expired', async () => {
    vi.useFakeTimers({ now: 1_000_000 });
    let answers = 0;
    const authenticate = async (): Promise<GrantOutcome> => {
      answers++;
      vi.setSystemTime(Date.now() + 6_000);
      return tokens();
    };

    const result = await refresh(
      kit({ authenticate, check: async () => read('expired', 'user_1', answers * 300_000) }),
      content,
    );
    vi.useRealTimers();

    expect(result).toMatchObject({ status: 'retry_later', reason: 'timeout' });
    expect(answers).toBe(2);
  });
});
