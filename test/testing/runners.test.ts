import { createEmulator } from 'sallyport/emulator';
import { afterAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { type Project, projectOf, runners, versionsOf } from './project.js';

// Runs the projects of examples/testing with the packed package.

const projects: Project[] = [];
const project = async (name: string) => {
  const one = await projectOf(name);
  projects.push(one);
  return one;
};
afterAll(() => {
  for (const one of projects) one.remove();
});

// The five seconds of Vitest are too short on a busy machine.
const patient = ['run', '--testTimeout=60000'];

requires(runners)('the testing examples', () => {
  test('run in Vitest', { timeout: 120_000 }, async () => {
    const { run } = await project('vitest');

    expect(await run('vitest', patient)).toMatch(/Tests\s+9 passed \(9\)/);
  });

  test('run in Jest, which loads the package with require', { timeout: 120_000 }, async () => {
    const { run } = await project('jest');

    expect(await run('jest', [])).toMatch(/Tests:\s+3 passed, 3 total/);
  });

  test('run with MSW', { timeout: 120_000 }, async () => {
    const { run } = await project('msw');

    expect(await run('vitest', patient)).toMatch(/Tests\s+2 passed \(2\)/);
  });

  test('fail if no test is found', { timeout: 120_000 }, async () => {
    const { run } = await project('jest');

    await expect(run('jest', ['--testPathPatterns', 'nothing'])).rejects.toThrow('failed');
  });

  test.each(['vitest', 'jest', 'msw', 'playwright'])('for %s pin the tested package versions', (name) => {
    const versions = Object.values(versionsOf(name));

    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter(([asked, installed]) => asked !== installed)).toEqual([]);
  });

  test('for Cypress include tasks that run in Node', { timeout: 60_000 }, async () => {
    const { run } = await project('cypress');
    const emulator = await createEmulator({
      dialect: 'workos',
      seed: { users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }] },
    });
    const program = `
      import { tasks } from './tasks.js';
      import config from './cypress.config.js';
      const registered = {};
      config.e2e.setupNodeEvents((name, all) => { registered[name] = all; });
      const { task } = registered;
      const { name } = await task['world:begin']({ name: 'mine' });
      const [{ name: cookie }] = await task['world:signInAs']({ user: 'user_ada' });
      const { data } = await task['world:event']({ type: 'session.created' });
      const { now } = await task['world:advance']('1h');
      const end = await task['world:end']();
      console.log(JSON.stringify([name, cookie, data.userId, now.endsWith('Z'), end]));`;
    try {
      const env = { EMULATOR_URL: await emulator.listen(), EMULATOR_ADMIN_KEY: emulator.adminKey };

      const printed = await run('node', ['--input-type=module', '-e', program], env);

      expect(JSON.parse(printed)).toEqual(['mine', 'wos-session', 'user_ada', true, null]);
      expect(emulator.worlds.list()).toEqual([]);
    } finally {
      await emulator.close();
    }
  });
});
