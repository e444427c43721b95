import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { sender } from '../servers/send.js';
import { commandLine, untilPrinted } from './programs.js';
import { emulators, expectSignedIn, type Line, seedText, signIn, stateFolder } from './state-programs.js';

const program = commandLine();
const { run, file, sallyport } = program;
const listening = emulators(program);
const placeFor = stateFolder();
const seedFile = (name: string): string => {
  const seed = placeFor('yaml');
  writeFileSync(seed, seedText(name));
  return seed;
};
const newFile = (): string => placeFor('state');

takesLong('sallyport emulator --state', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'keeps users signed in when the emulator restarts after %s',
    async (signal) => {
      const state = newFile();
      const first = await listening('--state', state, '--seed', seedFile('Acme'));
      const cookie = await signIn(first);
      first.child.kill(signal);
      expect(await first.exit).toBe(0);

      const second = await listening('--state', state);

      expect([first.state, second.state, second.adminKey]).toEqual([state, state, first.adminKey]);
      await expectSignedIn(second, cookie);
    },
  );

  test('keeps a user signed in if the emulator is killed shortly after the sign-in', async () => {
    const state = newFile();
    const first = await listening('--state', state, '--seed', seedFile('Acme'));
    const cookie = await signIn(first);
    await expect.poll(() => readFileSync(state, 'utf8'), { interval: 10 }).toContain('"idempotent answer"');
    first.child.kill('SIGKILL');
    await first.exit;

    const second = await listening('--state', state);

    await expectSignedIn(second, cookie);
    expect(second.output.err).toBe('');
  });

  test('does not recreate a deleted state file, and exits with an error', async () => {
    const state = newFile();
    const { child, exit, output, send } = await listening('--state', state, '--seed', seedFile('Acme'));
    rmSync(state);
    await send('POST /organizations', { name: 'Later' });
    child.kill('SIGTERM');

    expect(await exit).toBe(1);
    expect(output.err).toContain(
      `${state}: Another program changed, replaced or removed it while the emulator was using it`,
    );
    expect(existsSync(state)).toBe(false);
  });

  test('prints whether the seed has changed since the state was stored', async () => {
    const state = newFile();
    const seed = seedFile('Acme');
    const banner = async (...args: string[]): Promise<string> => {
      const program = await untilPrinted(sallyport('emulator', '--port', '0', '--state', state, ...args), 'Ctrl+C');
      program.child.kill('SIGTERM');
      await program.exit;
      return program.output.out;
    };

    expect(await banner('--seed', seed)).toContain(`state      ${state} (new)\n`);
    expect(await banner('--seed', seed)).toContain(`state      ${state} (restored)\n`);
    expect(await banner('--seed', seedFile('Beacon'))).toContain(
      `state      ${state} (restored; the seed has changed since then: to use it, delete this file or reset the emulator)\n`,
    );
    expect(await banner()).toContain('Press Ctrl+C to stop. The emulator keeps its data for the next start.');
  });

  test('rejects a state file that a running emulator has locked', async () => {
    const state = newFile();
    const first = await listening('--state', state);

    const second = sallyport('emulator', '--port', '0', '--state', state);
    expect(await second.exit).toBe(1);
    expect(second.output.err).toContain(
      `Another emulator uses the state file ${state}. It has renewed its lock within the last second.`,
    );
    first.child.kill('SIGTERM');
    await first.exit;

    expect(() => statSync(`${state}.lock`)).toThrow('ENOENT');
  });

  test('leaves no state file behind if the disk is full at the start', async () => {
    const state = newFile();
    const program = run('bash', [
      ...['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, file()],
      ...['emulator', '--port', '0', '--state', state],
    ]);

    expect(await program.exit).toBe(1);
    expect(program.output.err).toContain(`The emulator cannot store its state in ${state}.`);
    expect(readdirSync(dirname(state)).filter((name) => name.startsWith(basename(state)))).toEqual([]);
  });

  test('answers requests while the disk is full, and exits with an error after SIGTERM', async () => {
    const state = newFile();
    // A limit of the file size, so that writing fails as on a full disk.
    const program = run('bash', [
      '-c',
      `ulimit -f 128; exec "$0" "$@"`,
      process.execPath,
      file(),
      'emulator',
      '--port',
      '0',
      '--json',
      '--quiet',
      '--state',
      state,
    ]);
    await untilPrinted(program, '}\n');
    const line = JSON.parse(program.output.out) as Line;
    const send = sender(fetch, line.url, line.apiKey);
    for (let n = 0; n < 500; n++) await send('POST /organizations', { name: `${n} ${'x'.repeat(200)}` });
    await untilPrinted(program, 'can no longer be written', 'err');
    const answer = await send('GET /organizations?limit=1');
    program.child.kill('SIGTERM');

    expect(answer.status).toBe(200);
    expect(await program.exit).toBe(1);
    expect(program.output.err.match(/can no longer be written/g)).toHaveLength(1);
    expect(program.output.err).toContain(`The state could not be written to ${state}`);
    const again = await listening('--state', state);
    expect((await again.send('GET /organizations?limit=1')).body.data).toHaveLength(1);
  });
});

takesLong('sallyport dev --state', () => {
  test('gives the application the same cookie password in every run', async () => {
    const state = newFile();
    const passwordIn = async (): Promise<string> => {
      const program = sallyport(
        'dev',
        '--port',
        '0',
        '--state',
        state,
        '--',
        process.execPath,
        '-p',
        'process.env.SALLYPORT_COOKIE_PASSWORD',
      );
      expect(await program.exit).toBe(0);
      expect(program.output.err).toContain('The emulator keeps its data for the next start');
      return program.output.out.trim();
    };

    const first = await passwordIn();

    expect(first.length).toBeGreaterThanOrEqual(32);
    expect(await passwordIn()).toBe(first);
  });
});
