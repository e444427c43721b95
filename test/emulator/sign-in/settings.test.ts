import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';

describe('the settings of signing in', () => {
  test('are those of the service when nothing is said', () => {
    expect(settingsOf({})).toMatchObject({
      accessTokenLifetimeMs: 300_000,
      refreshTokenLifetimeMs: 2_592_000_000,
      rotateRefreshTokens: true,
      refreshReuseMs: 0,
      issuer: undefined,
      applicationName: undefined,
      autoApprove: false,
      allowSignUp: true,
      requireEmailVerification: true,
      requireMfa: false,
    });
  });

  test.each([
    ['accessTokenLifetimeMs', -1, 'must be a whole number'],
    [
      'accessTokenLifetimeMs',
      300,
      'must be a number of milliseconds that is a multiple of 1,000, such as 300_000 for five minutes',
    ],
    ['refreshTokenLifetimeMs', 1.5, 'must be a whole number'],
    ['refreshReuseMs', Number.NaN, 'must be a whole number'],
    ['issuer', ' ', 'must be a non-empty string'],
    ['applicationName', '', 'must be a non-empty string'],
  ])('name %s when it is wrong', async (option, value, problem) => {
    const creating = createEmulator({ [option]: value });

    await expect(creating).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(creating).rejects.toThrow(`The option ${option} of createEmulator ${problem}`);
  });
});
