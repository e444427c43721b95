import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { commandLine, runtimes } from './programs.js';
import { emulators, expectSignedIn, seedText, signIn, stateFolder } from './state-programs.js';

const program = commandLine();
const placeFor = stateFolder();

const names = [
  'node20',
  'node22',
  'node24',
  'node26',
  'bun',
  'deno',
] as const satisfies readonly (keyof typeof runtimes)[];

requires(...names)('an emulator with --state', () => {
  test.each(names)('on %s keeps users signed in after a signal or a kill', async (runtime) => {
    const listening = emulators(program, runtime);
    const [state, seed] = [placeFor('state'), placeFor('yaml')];
    writeFileSync(seed, seedText('Acme'));
    const first = await listening('--state', state, '--seed', seed);
    const cookie = await signIn(first);
    await expect.poll(() => readFileSync(state, 'utf8'), { interval: 10 }).toContain('"idempotent answer"');
    const mode = (statSync(state).mode & 0o777).toString(8);
    const other = program.run(runtime, [...runtimes[runtime], program.file(), 'emulator', '--state', state]);
    const refused = [await other.exit, other.output.err.split('. ')[0]];
    first.child.kill('SIGKILL');
    await first.exit;

    const second = await listening('--state', state);
    await expectSignedIn(second, cookie);
    const later = await signIn(second);
    second.child.kill('SIGTERM');
    const code = await second.exit;
    const third = await listening('--state', state);
    await expectSignedIn(third, later);

    expect([mode, code]).toEqual(['600', 0]);
    expect(refused).toEqual([1, `sallyport: Another emulator uses the state file ${state}`]);
    expect(() => statSync(`${state}.lock`)).not.toThrow();
    expect([second.output.err, third.output.err, third.adminKey]).toEqual(['', '', first.adminKey]);
  });
});
