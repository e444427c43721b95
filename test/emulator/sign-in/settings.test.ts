import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';

describe('the settings of signing in', () => {
  test('are those of the service when nothing is said', () => {
    expect(settingsOf({})).toMatchObject({
      accessTokenSeconds: 300,
      refreshTokenSeconds: 2_592_000,
      rotateRefreshTokens: true,
      refreshReuseSeconds: 0,
      issuer: undefined,
      applicationName: undefined,
      autoApprove: false,
      allowSignUp: true,
      requireEmailVerification: true,
      requireMfa: false,
    });
  });

  test.each([
    ['accessTokenSeconds', -1, 'must be a whole number'],
    ['refreshTokenSeconds', 1.5, 'must be a whole number'],
    ['refreshReuseSeconds', Number.NaN, 'must be a whole number'],
    ['issuer', ' ', 'must be a non-empty string'],
    ['applicationName', '', 'must be a non-empty string'],
  ])('name %s when it is wrong', async (option, value, problem) => {
    const creating = createEmulator({ [option]: value });

    await expect(creating).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(creating).rejects.toThrow(`The option ${option} of createEmulator ${problem}`);
  });
});
