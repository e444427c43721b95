import { expect, test } from 'vitest';
import { version } from '../../src/version.js';
import { takesLong } from '../runner/requirements.js';
import { commandLine } from './programs.js';

const { sallyport, sallyportIn } = commandLine();

/** The output of the command line for some arguments. It exits with 0. */
const texts = new Map<string, string>();
const textOf = async (...args: readonly string[]): Promise<string> => {
  const key = args.join(' ');
  if (!texts.has(key)) {
    const { output, exit } = sallyport(...args);
    expect([await exit, output.err]).toEqual([0, '']);
    texts.set(key, output.out);
  }
  return texts.get(key)!;
};

/** The tasks of each command, with their options. */
const ofDev = [['Connect your application', ['redirect-uri', 'webhooks']]];
const ofInit = [['Choose what to write', ['dry-run', 'force', 'framework', 'no-install']]];
const ofBoth = [
  ['Choose the address', ['port', 'host', 'https-cert', 'https-key', 'public-url', 'allow-host']],
  ['Load your own data', ['seed', 'no-seed', 'watch']],
  ['Keep data between runs', ['state']],
  ['Configure sign-in', ['application-name', 'auto-approve', 'issuer', 'access-token-lifetime', 'signing-key']],
  ['Match a deployment', ['max-events', 'ignore-idempotency-keys', 'rate-limits', 'dialect']],
];
const ofDeadLetters = [
  ['Choose the database', ['database', 'name', 'prefix']],
  ['List dead letters', ['limit', 'after', 'json']],
  ['Replay dead letters', ['with', 'all']],
];
const ofMirror = [
  ['Choose the database', ['database', 'prefix']],
  ['Verify a mirror', ['repair', 'json']],
];
const ofControl = [
  ['Choose the emulator', ['url', 'api-key', 'world', 'admin-key', 'allow-insecure']],
  ['Run a control', ['list', 'json', 'stdin']],
];
const ofCheck = [['Check a deployment', ['mail-to', 'webhook-url', 'allow-production', 'clean', 'json']]];
const ofEmulator = [['Use it in scripts', ['json', 'quiet', 'admin-key']]];

takesLong('the sallyport command', () => {
  test('prints the version', async () => {
    expect(await textOf('--version')).toContain(`sallyport/${version}`);
  });

  test.each([
    [[], [...ofInit, ...ofDev, ...ofBoth, ...ofEmulator, ...ofControl, ...ofDeadLetters, ...ofMirror, ...ofCheck]],
    [
      ['--help'],
      [...ofInit, ...ofDev, ...ofBoth, ...ofEmulator, ...ofControl, ...ofDeadLetters, ...ofMirror, ...ofCheck],
    ],
    [['init', '--help'], ofInit],
    [['dead-letters', '--help'], ofDeadLetters],
    [['mirror', '--help'], ofMirror],
    [['control', '--help'], ofControl],
    [['check', '--help'], ofCheck],
    [
      ['dev', '--help'],
      [...ofDev, ...ofBoth],
    ],
    [
      ['emulator', '--help'],
      [...ofBoth, ...ofEmulator],
    ],
  ])('lists each option once, grouped by task (arguments %j)', async (args, expected) => {
    const text = await textOf(...args);

    const tasks = [...text.matchAll(/^(\S.*):\n((?: {2}.*\n)+)/gm)].map(([, title, body]) => [
      title,
      body!.match(/^ {2}(?:-\w, )?--[\w-]+/gm)?.map((flag) => flag.replace(/^.*--/, '')),
    ]);
    expect(tasks.filter(([, options]) => options)).toEqual([...expected, ['Help', ['help', 'version']]]);
    expect(text).toContain(`sallyport ${args[0]?.match(/^\w[\w-]*/) ?? '<command>'}`);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  test('prints the help for sallyport check in at most 24 lines of 80 columns', async () => {
    const lines = (await textOf('check', '--help')).trimEnd().split('\n');

    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test.each([
    [['help'], ['--help']],
    [
      ['help', 'dead-letters'],
      ['dead-letters', '--help'],
    ],
  ])('prints the same help for the arguments %j as for %j', async (args, same) => {
    expect(await textOf(...args)).toBe(await textOf(...same));
  });

  test.each([
    [['emulater'], 'sallyport has no command "emulater"; did you mean emulator? Run sallyport --help'],
    [['help', 'emulater'], 'sallyport has no command "emulater"; did you mean emulator? Run sallyport --help'],
    [['deploy'], 'sallyport has no command "deploy". Run sallyport --help'],
    [['--verison'], 'No command was given; did you mean --version? Run sallyport --help'],
    [
      ['emulator', '--prot', '1'],
      'sallyport emulator has no option --prot; did you mean --port? Run sallyport emulator --help',
    ],
    [
      ['dev', '--redirct-uri', 'http://localhost', '--', 'true'],
      'sallyport dev has no option --redirct-uri; did you mean --redirect-uri? Run sallyport dev --help',
    ],
    [
      ['init', '--no-instal'],
      'sallyport init has no option --no-instal; did you mean --no-install? Run sallyport init',
    ],
    [['007'], 'sallyport has no command "007". Run sallyport --help'],
    [['init', '--framework', '007'], 'hono, react, not "007".'],
    [['init', '--framework=1234e56'], 'hono, react, not "1234e56".'],
    [['init', '--framework', ''], 'hono, react, not "".'],
    [['emulator', '--seed', '007'], 'The seed 007 cannot be read'],
    [['emulator', '--port', '0x10'], '--port must be a number from 0 to 65535, not "0x10".'],
    [['emulator', '--port', ''], '--port must be a number from 0 to 65535, not "".'],
    [['dead-letters', 'list', '--database', '007'], 'The file 007 does not exist.'],
    [['emulator', '-p', '1'], 'sallyport emulator has no option -p. Run sallyport emulator --help'],
  ])('rejects the arguments %j with an error that names the mistake', async (args, message) => {
    const { output, exit } = sallyport(...args);

    expect(await exit).toBe(1);
    expect(output.err).toContain(message);
    expect(output.out).toBe('');
  });

  test('lists every command with a description', async () => {
    const text = await textOf();

    expect(text).toMatch(/^ {2}init +Set up sign-in for the project in this folder$/m);
    expect(text).toMatch(/^ {2}dev +Run your application together with an emulator/m);
    expect(text).toMatch(/^ {2}emulator +Run a local emulator of the service$/m);
    expect(text).toMatch(/^ {2}control .*Run a control of a running emulator: move its clock/m);
    expect(text).toMatch(/^ {2}dead-letters .*List, correct and replay events that your handler failed to process$/m);
    expect(text).toMatch(/^ {2}check +Compare your staging environment with what this package expects$/m);
  });

  test.each([
    ['the help', ['--help'], 'out'],
    ['an error', ['emulate'], 'err'],
  ] as const)('prints %s in color if FORCE_COLOR is 1 and NO_COLOR is not set', async (_what, args, stream) => {
    const printed = async (env: NodeJS.ProcessEnv) => {
      const { output, exit } = sallyportIn({ env: { FORCE_COLOR: '1', ...env } }, ...args);
      await exit;
      return output[stream];
    };
    const colour = '\u001b[';

    expect(await printed({ NO_COLOR: undefined })).toContain(colour);
    expect(await printed({ NO_COLOR: '1' })).not.toContain(colour);
    expect(await printed({ FORCE_COLOR: '0' })).not.toContain(colour);
    expect(await printed({ FORCE_COLOR: 'false' })).not.toContain(colour);
  });
});
