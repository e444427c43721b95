import { describe, expect, test } from 'vitest';
import { decide, requirementsOf } from '../../src/session/guard/decide.js';
import type { TokenSession } from '../../src/session/read/session.js';
import type { TokenResult } from '../../src/session/read/token-verifier.js';

const session = { has: ({ permission }: { permission?: string }) => permission === 'read' } as unknown as TokenSession;
const active: TokenResult = { status: 'active', session };
const signedOut: TokenResult = { status: 'signed_out', session: null, reason: 'expired' };
const old = () => false;
const recent = () => true;

describe('the decision about a request', () => {
  test('allows a signed-in user if no rule applies', () => {
    expect(decide(active, {}, old)).toEqual({ session });
  });

  test('names the reason for a missing session', () => {
    expect(decide(signedOut, { path: '/account' }, recent)).toEqual({
      refusal: { reason: 'expired', path: '/account' },
    });
  });

  test('requires a new sign-in after the maximum age instead of reporting a missing permission', () => {
    const rules = [{ path: '/account', permission: 'write' }];

    expect(decide(active, { path: '/account', maxAgeMs: 1, rules }, old)).toEqual({
      refusal: { reason: 'insufficient_user_authentication', path: '/account' },
    });
  });

  test('names the first rule with a missing permission', () => {
    const rules = [
      { path: '/', permission: 'read' },
      { path: '/account', permission: 'write' },
      { path: '/account/keys', permission: 'admin' },
    ];

    expect(decide(active, { path: '/', maxAgeMs: 1, rules }, recent)).toEqual({
      refusal: { reason: 'forbidden', path: '/account' },
    });
  });
});

describe('the requirements for a request', () => {
  const rules = [
    { path: '/account', maxAgeMs: 3_000 },
    { path: '/account/keys', maxAgeMs: 1_000 },
  ];

  test('combine all matching rules and the shortest maximum age', () => {
    expect(requirementsOf([{ path: '/other' }, { path: '/account/keys/1' }], rules, [])).toEqual({
      path: '/account',
      maxAgeMs: 1_000,
      rules,
    });
  });

  test('are undefined if no rule matches the path', () => {
    expect(requirementsOf([{ path: '/other' }], rules, [])).toBeUndefined();
  });

  test('are undefined for an open path below a protected path', () => {
    expect(requirementsOf([{ path: '/account/help' }], rules, ['/account/help'])).toBeUndefined();
  });

  test('cannot be determined for a path that routers interpret in different ways', () => {
    expect(requirementsOf([{ path: '/account/../other' }], rules, [])).toBe('bad_path');
  });
});
