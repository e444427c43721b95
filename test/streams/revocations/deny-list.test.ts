import type { AccessTokenClaims } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { DenyList } from '../../../src/streams/revocations/deny-list.js';
import type { Revocation } from '../../../src/streams/revocations/revocation-of.js';

const noon = Date.UTC(2026, 4, 4, 12);
/** Returns the claims of a token that was issued some seconds after noon. */
const token = (seconds: number, more: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
  sub: 'user_1',
  sid: 'session_1',
  jti: `token_${seconds}`,
  iat: noon / 1_000 + seconds,
  exp: noon / 1_000 + seconds + 300,
  org_id: 'org_1',
  role: 'admin',
  permissions: ['reports:read'],
  ...more,
});
const revocation = (kind: Revocation['kind'], id: string, within = '', at = noon): Revocation => ({
  kind,
  id,
  within,
  at,
});
const listOf = (...all: readonly Revocation[]) => {
  const list = new DenyList(1_000);
  for (const one of all) list.add(one);
  return list;
};
const verdict = (list: DenyList, claims: AccessTokenClaims) => {
  const found = list.find({ claims });
  return found?.reason ?? found?.status;
};

describe('the deny list', () => {
  const events: readonly (readonly [string, Revocation, string | undefined])[] = [
    ['the session was revoked', revocation('session', 'session_1'), 'session_revoked'],
    ['a different session was revoked', revocation('session', 'session_2'), undefined],
    ['the user was deleted', revocation('user', 'user_1'), 'user_deleted'],
    ['a different user was deleted', revocation('user', 'user_2'), undefined],
    ['the membership has changed', revocation('member', 'user_1', 'org_1'), 'expired'],
    ['a membership in a different organization has changed', revocation('member', 'user_1', 'org_2'), undefined],
    ['the membership of a different user has changed', revocation('member', 'user_2', 'org_1'), undefined],
    ['the organization was deleted', revocation('organization', 'org_1'), 'expired'],
    ['a different organization was deleted', revocation('organization', 'org_2'), undefined],
    ['the role has changed', revocation('role', 'admin'), 'expired'],
    ['the role has changed in the organization', revocation('role', 'admin', 'org_1'), 'expired'],
    [
      'a role with the same name has changed in a different organization',
      revocation('role', 'admin', 'org_2'),
      undefined,
    ],
    ['a different role has changed', revocation('role', 'member'), undefined],
    ['a permission in the token was deleted', revocation('permission', 'reports:read'), 'expired'],
    ['a permission that the token lacks was deleted', revocation('permission', 'reports:write'), undefined],
  ];
  const outcomeOf = (reason: string | undefined): string => {
    if (reason === undefined) return 'accepts an existing token';
    return reason === 'expired' ? 'treats an existing token as expired' : 'rejects an existing token';
  };

  test.each(events.map(([event, one, reason]) => [outcomeOf(reason), event, one, reason] as const))(
    '%s if %s',
    (_outcome, _event, one, reason) => {
      expect(verdict(listOf(one), token(-10))).toBe(reason);
    },
  );

  test('rejects every token of a revoked session, but treats only older tokens as expired after a membership change', () => {
    expect(verdict(listOf(revocation('session', 'session_1')), token(10))).toBe('session_revoked');
    expect(verdict(listOf(revocation('member', 'user_1', 'org_1')), token(1))).toBeUndefined();
    expect(verdict(listOf(revocation('member', 'user_1', 'org_1')), token(-1))).toBe('expired');
  });

  test('treats a token as expired if any role in the token has changed', () => {
    const claims = token(-10, { role: 'admin', roles: ['admin', 'auditor'] });

    expect(verdict(listOf(revocation('role', 'auditor')), claims)).toBe('expired');
    expect(verdict(listOf(revocation('role', 'member')), claims)).toBeUndefined();
  });

  test('applies the latest of several role changes, even if the events arrive out of order', () => {
    const list = listOf(revocation('role', 'admin', '', noon), revocation('role', 'admin', '', noon - 60_000));

    expect(verdict(list, token(-10))).toBe('expired');
  });

  test('accepts a token without an iat claim after a role change, to avoid endless refreshes', () => {
    const { iat: _, ...claims } = token(0);

    expect(verdict(listOf(revocation('role', 'admin')), claims)).toBeUndefined();
  });

  describe('for a token issued in the same second as a membership change,', () => {
    const list = () => listOf(revocation('member', 'user_1', 'org_1', noon + 700));

    test('requires only one refresh', () => {
      const one = list();

      expect(verdict(one, token(0, { jti: 'first' }))).toBe('expired');
      expect(verdict(one, token(0, { jti: 'second' }))).toBeUndefined();
      expect(verdict(one, token(0, { jti: 'second' }))).toBeUndefined();
      expect(verdict(one, token(0, { jti: 'first' }))).toBe('expired');
    });

    test('requires another refresh if another membership change follows', () => {
      const one = list();
      verdict(one, token(0, { jti: 'first' }));
      one.add(revocation('member', 'user_1', 'org_1', noon + 900));

      expect(verdict(one, token(0, { jti: 'second' }))).toBe('expired');
      expect(verdict(one, token(0, { jti: 'third' }))).toBeUndefined();
    });

    test('requires only one refresh even if tokens have no id', () => {
      const one = list();
      const { jti: _, ...claims } = token(0);

      expect(verdict(one, claims)).toBe('expired');
      expect(verdict(one, claims)).toBeUndefined();
    });
  });

  test('changes its version for each new revocation, but not for repeated or dropped revocations', () => {
    const list = listOf(revocation('role', 'admin'));
    const versions = [list.version];
    const note = (act: () => void) => {
      act();
      versions.push(list.version);
    };

    note(() => list.add(revocation('role', 'admin')));
    note(() => list.add(revocation('role', 'admin', '', noon - 1)));
    note(() => list.dropBefore(noon - 10));
    note(() => list.add(revocation('role', 'admin', '', noon + 1)));
    note(() => list.add(revocation('session', 'session_1')));

    expect(versions.map((one) => one - versions[0]!)).toEqual([0, 0, 0, 0, 1, 2]);
  });

  test('drops all revocations from before a given time', () => {
    const list = listOf(
      revocation('session', 'session_1', '', noon - 1),
      revocation('member', 'user_1', 'org_1', noon - 1),
      revocation('user', 'user_2', '', noon),
    );

    list.dropBefore(noon);

    expect(list.size).toBe(1);
    expect(verdict(list, token(-10))).toBeUndefined();
    expect(verdict(list, token(-10, { sub: 'user_2' }))).toBe('user_deleted');
    expect(list.dropped).toBe(0);
  });

  test('drops and counts the oldest revocations if there are more than maxEntries', () => {
    const list = new DenyList(100);

    for (let at = 0; at < 101; at++) list.add(revocation('session', `session_${at}`, '', noon + at));

    expect(list.size).toBeLessThanOrEqual(100);
    expect(list.dropped).toBe(101 - list.size);
    expect(verdict(list, token(0, { sid: 'session_0' }))).toBeUndefined();
    expect(verdict(list, token(0, { sid: 'session_100' }))).toBe('session_revoked');
  });

  test('drops only a tenth of the revocations at once, even if all revocations have the same timestamp', () => {
    const list = new DenyList(100);

    for (let at = 0; at < 101; at++) list.add(revocation('session', `session_${at}`));

    expect(list.size).toBe(90);
    expect(verdict(list, token(0, { sid: 'session_10' }))).toBeUndefined();
    expect(verdict(list, token(0, { sid: 'session_11' }))).toBe('session_revoked');
  });

  test('agrees with a slow reference implementation on random events and tokens', () => {
    const random = randomFrom(20261123);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
    const number = () => 1 + Math.floor(random() * 4);
    const kinds = ['session', 'user', 'member', 'organization', 'role', 'permission'] as const;
    for (let round = 0; round < 300; round++) {
      // Events happen in even seconds and tokens are issued in odd ones, so that their order is clear.
      const events = Array.from({ length: Math.floor(random() * 6) }, (): Revocation => {
        const kind = pick(kinds);
        const within = kind === 'member' ? `org_${number()}` : kind === 'role' ? pick(['', `org_${number()}`]) : '';
        const prefix = {
          session: 'session_',
          user: 'user_',
          member: 'user_',
          organization: 'org_',
          role: 'role_',
          permission: 'may_',
        };
        return { kind, id: `${prefix[kind]}${number()}`, within, at: noon + 2_000 * Math.floor(random() * 5) + 300 };
      });
      const list = listOf(...events);
      for (let at = 0; at < 10; at++) {
        const claims = token(1 + 2 * Math.floor(random() * 5), {
          sub: `user_${number()}`,
          sid: `session_${number()}`,
          org_id: pick([undefined, `org_${number()}`]) as string,
          role: `role_${number()}`,
          permissions: [`may_${number()}`, `may_${number()}`],
        });
        expect(verdict(list, claims), JSON.stringify({ events, claims })).toBe(slowly(events, claims));
      }
    }
  });
});

/** Returns the expected answer of a list, computed from each event in turn. */
function slowly(events: readonly Revocation[], { sub, sid, org_id, role, permissions, iat }: AccessTokenClaims) {
  if (events.some(({ kind, id }) => kind === 'session' && id === sid)) return 'session_revoked';
  if (events.some(({ kind, id }) => kind === 'user' && id === sub)) return 'user_deleted';
  const isOutdated = events.some(({ kind, id, within, at }) => {
    if (Number(iat) * 1_000 > at) return false;
    if (kind === 'member') return id === sub && within === org_id;
    if (kind === 'organization') return id === org_id;
    if (kind === 'role') return id === role && (within === '' || within === org_id);
    return kind === 'permission' && permissions?.includes(id);
  });
  return isOutdated ? 'expired' : undefined;
}

/** Generates numbers from 0 to 1, the same in every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
