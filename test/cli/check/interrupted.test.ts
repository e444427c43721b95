import { expect, test } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { commandLine, untilPrinted } from '../programs.js';
import { deployment } from './deployment.js';

takesLong('sallyport check', () => {
  const { sallyportIn } = commandLine();

  /** Start the check, and wait until it has a user with sessions. */
  async function begun() {
    const service = await deployment();
    const run = (...flags: readonly string[]) =>
      sallyportIn({ cwd: service.folder, env: { NO_COLOR: '1', ...service.env } }, 'check', ...flags);
    const program = await untilPrinted(run(), 'user.created');
    const usersLeft = async () => (JSON.parse(await service.emulator.export({ format: 'json' })).users ?? []).length;
    expect(await usersLeft()).toBe(1);
    return { ...program, run, usersLeft };
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('deletes the created records after %s, and exits with code %i', async (signal, code) => {
    const { child, exit, usersLeft } = await begun();

    child.kill(signal);

    expect(await exit).toBe(code);
    expect(await usersLeft()).toBe(0);
  });

  test('lists leftover records after SIGKILL, and deletes the records with --clean', async () => {
    const { child, exit, run, usersLeft } = await begun();
    child.kill('SIGKILL');
    await exit;

    const next = run();
    const nextCode = await next.exit;
    const leftBefore = await usersLeft();
    const clean = run('--clean');

    expect(nextCode).toBe(1);
    expect(next.output.err).toMatch(/ {2}users sallyport-check-\S+@example\.com \(user_\w+\)\n/);
    expect(next.output.err).toContain('Run sallyport check --clean to remove it.');
    expect(leftBefore).toBe(1);
    expect(await clean.exit).toBe(0);
    expect(clean.output.out).toMatch(/ {2}users sallyport-check-\S+@example\.com \(user_\w+\)\n[\s\S]*Removed\.\n$/);
    expect(await usersLeft()).toBe(0);
  });
});
