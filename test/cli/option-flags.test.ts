import { readFileSync } from 'node:fs';
import { cac } from 'cac';
import { expect, test } from 'vitest';
import { optionsOfFlags } from '../../src/cli/emulator/option-flags.js';
import { addOptions, type CommandName } from '../../src/cli/tasks.js';
import { flaggedOptions } from '../../src/emulator/world/options.js';

const parsed = (command: CommandName, ...args: readonly string[]): object => {
  const parser = cac('sallyport');
  addOptions(parser.command(command), command);
  return parser.parse(['node', 'sallyport', command, ...args], { run: false }).options;
};

/** Flags as the user types them, the option that they set, and parsed flags with a wrong value and the expected one. */
const examples: readonly (readonly [args: string, option: object, wrong: object, expected: string])[] = [
  ['--application-name Acme', { applicationName: 'Acme' }, { applicationName: ' ' }, 'a non-empty string'],
  ['--auto-approve', { autoApprove: true }, { autoApprove: 'maybe' }, 'true or false'],
  ['--issuer https://acme.test', { issuer: 'https://acme.test' }, { issuer: '' }, 'a non-empty string'],
  [
    '--access-token-lifetime 5m',
    { accessTokenLifetimeMs: 300_000 },
    { accessTokenLifetime: 300 },
    'a duration such as 10s, 5m, 1h or 7d, not "300"',
  ],
  ['--rate-limits', { rateLimits: true }, { rateLimits: 1 }, 'true or false'],
  ['--ignore-idempotency-keys', { ignoreIdempotencyKeys: true }, { ignoreIdempotencyKeys: 1 }, 'true or false'],
  ['--max-events 100000', { maxEvents: 100_000 }, { maxEvents: '' }, 'a whole number, 1 or more'],
  ['--dialect workos', { dialect: 'workos' }, { dialect: 'klingon' }, 'spec or workos'],
  [
    '--public-url https://emulator.acme.test',
    { publicUrl: 'https://emulator.acme.test' },
    { publicUrl: 'https://acme.test/login' },
    'an http or https address without a path, such as https://emulator.acme.test',
  ],
  [
    '--allow-host emulator --allow-host dev.acme.test',
    { allowHosts: ['emulator', 'dev.acme.test'] },
    { allowHost: 'emulator:4100' },
    'a list of host names without scheme and port, such as emulator or app.acme.test',
  ],
  ['--state dev.state', { state: 'dev.state' }, { state: ' ' }, 'a file path such as dev.state, or a file: URL'],
  [
    '--admin-key ak_of_my_own',
    { adminKey: 'ak_of_my_own' },
    { adminKey: 'secret' },
    'ak_ followed by at least 8 characters without spaces',
  ],
];

test('the test cases cover every emulator option that has a flag', () => {
  expect([...examples.flatMap(([, option]) => Object.keys(option)), 'signingKey'].sort()).toEqual(
    flaggedOptions.map(({ name }) => name).sort(),
  );
});

test.each(examples)('%s sets the option %j, and the flag rejects an invalid value', (args, option, wrong, expected) => {
  expect(optionsOfFlags(parsed('emulator', ...args.split(' ')))).toEqual(option);
  expect(() => optionsOfFlags(wrong)).toThrow(`${args.split(' ')[0]} must be ${expected}.`);
});

test('--signing-key reads the key from a file, and rejects a missing file', () => {
  const signingKey = readFileSync('package.json', 'utf8');

  expect(optionsOfFlags(parsed('dev', '--signing-key', 'package.json'))).toEqual({ signingKey });
  expect(() => optionsOfFlags({ signingKey: 'none.pem' })).toThrow('--signing-key none.pem cannot be read.');
});

test('flags that are not passed leave their options unset', () => {
  expect(optionsOfFlags(parsed('dev', '--port', '0'))).toEqual({});
});

test('the last value of a repeated flag is used unless the option is a list', () => {
  const flags = parsed('dev', '--issuer', 'one', '--issuer', 'two', '--allow-host', 'emulator');

  expect(optionsOfFlags(flags)).toEqual({ issuer: 'two', allowHosts: ['emulator'] });
});
