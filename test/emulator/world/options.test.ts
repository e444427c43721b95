import { inspect } from 'node:util';
import { expect, expectTypeOf, test } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { emulatorOptions, type Given, type Option } from '../../../src/emulator/world/options.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';

/** All described options by their paths, such as `production.clientId`. */
const described = Object.entries<Option>(emulatorOptions).flatMap(([name, option]) => [
  [name, option] as const,
  ...Object.entries(option.options ?? {}).map(([inner, one]) => [`${name}.${inner}`, one] as const),
]);

test("the names and types of createEmulator's options match the descriptions of the options", () => {
  // `npm run typecheck` checks these lines. The descriptions have no types for seeds and faults.
  type Untyped = 'seed' | 'faults' | 'production';
  type Described = Given<typeof emulatorOptions>;
  expectTypeOf<keyof Described>().toEqualTypeOf<keyof EmulatorOptions>();
  expectTypeOf<Omit<Described, Untyped>>().toEqualTypeOf<Omit<EmulatorOptions, Untyped>>();
  type DescribedProduction = NonNullable<Described['production']>;
  type Production = NonNullable<EmulatorOptions['production']>;
  expectTypeOf<keyof DescribedProduction>().toEqualTypeOf<keyof Production>();
  expectTypeOf<Omit<DescribedProduction, 'seed'>>().toEqualTypeOf<Omit<Production, 'seed'>>();
});

test('createEmulator fills in the default values of omitted options', () => {
  expect(settingsOf({})).toEqual({
    apiKeys: [{ value: 'sk_test_sallyport_emulator', name: 'default' }],
    clientId: 'client_sallyport_emulator',
    dialect: expect.objectContaining({ cookieName: 'sallyport-session' }),
    maxBodyBytes: 1_048_576,
    maxEvents: 20_000,
    strictIdempotency: false,
    ignoreIdempotencyKeys: false,
    auditExportAfterMs: 0,
    deliver: expect.any(Function),
    deliveries: { answerWithinMs: 5_000, firstWaitMs: 120_000 },
    accessTokenLifetimeMs: 300_000,
    refreshTokenLifetimeMs: 2_592_000_000,
    rotateRefreshTokens: true,
    refreshReuseMs: 0,
    autoApprove: false,
    allowSignUp: true,
    requireEmailVerification: true,
    requireMfa: false,
    environment: 'staging',
    rateLimits: false,
    debug: false,
  });
});

const wrongValues: Readonly<Record<string, readonly [value: unknown, names: string]>> = {
  'true or false': [
    'yes',
    'strictIdempotency ignoreIdempotencyKeys autoApprove rotateRefreshTokens allowSignUp requireEmailVerification requireMfa rateLimits debug',
  ],
  'a whole number': [
    1.5,
    'maxBodyBytes autoVerifyAfterMs auditExportAfterMs accessTokenLifetimeMs refreshTokenLifetimeMs refreshReuseMs',
  ],
  'a whole number, 1 or more': [0, 'maxEvents'],
  'a non-empty string': [' ', 'clientId applicationName issuer production.clientId production.issuer'],
  'staging or production': ['test', 'environment'],
  'an http or https address without a path, such as https://emulator.acme.test': ['ftp://acme.test', 'publicUrl'],
  'a list of host names without scheme and port, such as emulator or app.acme.test': [['acme.test:1'], 'allowHosts'],
  'a file path such as dev.state, or a file: URL': [' ', 'state'],
  'ak_ followed by at least 8 characters without spaces': ['secret', 'adminKey'],
};
const wrong = Object.entries(wrongValues).flatMap(([expected, [value, names]]) =>
  names.split(' ').map((name) => [name, value, expected] as const),
);

test('every validated option of createEmulator has a test with an invalid value', () => {
  const noValue = Symbol('no value of an option');
  const checked = described.filter(([, option]) => option.problem(noValue) !== undefined);

  expect(wrong.map(([name]) => name).sort()).toEqual(checked.map(([name]) => name).sort());
});

test.each<readonly [path: string, value: unknown, expected: string]>([
  ...wrong,
  ['accessTokenLifetimeMs', -1_000, 'a whole number'],
  [
    'accessTokenLifetimeMs',
    300,
    'a number of milliseconds that is a multiple of 1,000, such as 300_000 for five minutes',
  ],
  ['refreshReuseMs', Number.NaN, 'a whole number'],
  ...['http://localhost:6000', 'https://acme.test:10080/'].map(
    (address) =>
      ['publicUrl', address, 'an address with another port, because browsers never connect to this one'] as const,
  ),
])('createEmulator names the option $0 in the error for the invalid value $1', async (path, value, expected) => {
  const [name = '', inner] = path.split('.');
  const creating = createEmulator({ [name]: inner === undefined ? value : { [inner]: value } });

  await expect(creating).rejects.toMatchObject({ code: 'invalid_option' });
  await expect(creating).rejects.toThrow(
    `The option ${path} of createEmulator must be ${expected}. Correct ${path} or leave it out`,
  );
});

test.each(described.map(([path]) => path))(
  'an error about the option %s does not quote the invalid value',
  async (path) => {
    const [name = '', inner] = path.split('.');
    // The error for a file contains its name.
    const fileNames = ['seed', 'state'];
    const secret = 'correct-horse-battery-staple';
    const values = [[secret], { value: secret }, [{ value: secret }], [{ value: `sk_${secret}`, deny: [secret] }]];

    for (const value of fileNames.includes(inner ?? name)
      ? values
      : [secret, `http://ada:${secret}@acme.test`, ...values]) {
      const options = { [name]: inner === undefined ? value : { [inner]: value } };
      const refused = await createEmulator(options as EmulatorOptions).then(
        (emulator) => emulator.close(),
        (error: unknown) => inspect(error),
      );

      expect(refused ?? '').not.toContain(secret);
    }
  },
);
