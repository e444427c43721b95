import { describe, expect, test, vi } from 'vitest';
import type { AuthenticationResponse } from '../../src/service/authentication.js';
import type { ReadResult } from '../../src/session/read/reader.js';
import type { CurrentSession } from '../../src/session/read/session.js';
import { type RefreshContext, refresh } from '../../src/session/refresh/refresh.js';
import { type GrantOutcome, transient } from '../../src/session/refresh/service.js';

const entries = [
  { id: '2', secret: 'correct-horse-battery-staple-0002' },
  { id: '1', secret: 'correct-horse-battery-staple-0001' },
] as const;
// Only the id of the user matters.
const user = (id: string) => ({ id, email: 'ada@example.com' }) as AuthenticationResponse['user'];
const spent = { accessToken: 'a0', refreshToken: 'r0', user: user('user_1') };
const content = { sealed: spent, entry: entries[0] };
const tokens = (userId = 'user_1'): GrantOutcome => ({
  kind: 'tokens',
  tokens: { accessToken: 'a1', refreshToken: 'r1', user: user(userId), organizationId: null } as AuthenticationResponse,
});
const rejected: GrantOutcome = {
  kind: 'rejected',
  error: { status: 400, code: 'invalid_grant', message: null, body: {} },
};
const read = (status: 'active' | 'expired', userId: string, expiresAt: number): ReadResult => ({
  status,
  // Only the fields that a refresh looks at.
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
    limits: { timeoutMs: 5_000, deadlineMs: 10_000, maxRetries: 0 },
    entries,
    store: undefined,
    authenticate: async () => tokens(),
    check: async ({ user: { id } }) => read('active', id, 300_000),
    ...overrides,
  };
};

describe('a refresh', () => {
  test('gives the new session', async () => {
    expect(await refresh(kit({}), content)).toMatchObject({ kind: 'renewed', sealed: { refreshToken: 'r1' } });
  });

  test('that returns another user is not trusted, even with the same session id', async () => {
    const result = await refresh(kit({ authenticate: async () => tokens('user_2') }), content);

    expect(result).toMatchObject({ kind: 'transient', reason: 'unexpected_answer' });
  });

  test('that was refused ends the session if no other process can have spent the token', async () => {
    expect(await refresh(kit({ authenticate: async () => rejected }), content)).toMatchObject({
      kind: 'ended',
      reason: 'invalid_grant',
    });
  });

  test('that was refused does not end the session while another process may have spent the token', async () => {
    const authenticate = vi
      .fn<RefreshContext['authenticate']>()
      .mockResolvedValueOnce(rejected)
      .mockResolvedValueOnce(transient('network_error', undefined));

    const result = await refresh(kit({ authenticate }), content);

    expect(result).toMatchObject({ kind: 'transient', reason: 'network_error' });
  });

  test('follows later ones until its time is up', async () => {
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

    expect(result).toMatchObject({ kind: 'transient', reason: 'timeout' });
    expect(answers).toBe(2);
  });
});
