import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { requires } from '../runner/requirements.js';
import { earlierVitest, type Project, projectOf, runners } from './project.js';

const projects: Project[] = [];
afterAll(() => {
  for (const one of projects) one.remove();
});

/** Tests for Vitest and Jest with a common body. */
const headers = {
  vitest: `
    import { expect, test, vi as runner } from 'vitest';
    import { Sallyport } from 'sallyport';
    import { createEmulator } from 'sallyport/emulator';
    import { createSessions } from 'sallyport/session';`,
  jest: `
    const { Sallyport } = require('sallyport');
    const { createEmulator } = require('sallyport/emulator');
    const { createSessions } = require('sallyport/session');
    const runner = jest;`,
};

const inProcess = `
  test('signs a user in', async () => {
    const emulator = await createEmulator();
    const options = { ...emulator.credentials, fetch: emulator.fetch, maxRetries: 0, dangerouslyAllowBrowser: true };
    const { userManagement, organizations } = new Sallyport(options);
    const { signal } = new AbortController();
    await organizations.createOrganization({ name: 'Acme' }, { signal });
    for await (const { name } of organizations.listOrganizations({}, { signal })) expect(name).toBe('Acme');
    const credentials = { email: 'ada@acme.test', password: 'correct horse battery staple' };
    await userManagement.createUser({ ...credentials, emailVerified: true });
    const tokens = await userManagement.authenticateWithPassword(credentials);
    const { dangerouslyAllowBrowser, maxRetries, ...service } = options;
    const sessions = createSessions({ ...service, cookiePassword: 'correct-horse-battery-staple-0001' });
    const cookie = (await sessions.create(tokens)).map((line) => line.split(';')[0]).join('; ');
    expect(await sessions.handle({ headers: { cookie } })).toMatchObject({ status: 'active' });
  });`;

const fakeTimers = `
  test('signs users in with fake timers and after them', async () => {
    const emulator = await createEmulator();
    const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const signIn = async (email) => {
      const credentials = { email, password: 'correct horse battery staple' };
      await userManagement.createUser({ ...credentials, emailVerified: true });
      for await (const { email } of userManagement.listUsers()) expect(email).toContain('@');
      return (await userManagement.authenticateWithPassword(credentials)).user.email;
    };
    runner.useFakeTimers();
    expect(await signIn('ada@acme.test')).toBe('ada@acme.test');
    runner.useRealTimers();
    expect(await signIn('bob@acme.test')).toBe('bob@acme.test');
  });`;

const overHttp = `
  test('names the environment', async () => {
    const options = { apiKey: 'sk_test_1', baseUrl: 'http://127.0.0.1:9', dangerouslyAllowBrowser: true };
    await expect(new Sallyport(options).organizations.getOrganization('org_1')).rejects.toMatchObject({
      attempts: 1,
      message: expect.stringContaining('This test runs in jsdom'),
    });
  });`;

const withoutRequest = `
  test('names the environment', async () => {
    await expect(createEmulator()).rejects.toMatchObject({
      code: 'unsupported_environment',
      message: expect.stringContaining('This test runs in jsdom'),
    });
    const options = { apiKey: 'sk_test_1', baseUrl: 'http://127.0.0.1:9', dangerouslyAllowBrowser: true };
    await expect(new Sallyport(options).organizations.getOrganization('org_1')).rejects.toMatchObject({
      attempts: 1,
      message: expect.stringContaining('This test runs in jsdom'),
    });
  });`;

/** Runs a test with Node 24 in an environment. Returns the output of the runner; rejects if the test fails. */
async function runIn(
  runner: 'vitest' | 'jest',
  environment: string,
  body: string,
  packages = runners,
): Promise<string> {
  const project = await projectOf(runner, packages);
  projects.push(project);
  writeFileSync(join(project.folder, 'environment.test.js'), headers[runner] + body);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--environment', environment, '--testTimeout=60000'];
  const jest = ['node_modules/jest/bin/jest.js', '--env', environment, '--testTimeout=60000'];
  return project.run('node24', [...(runner === 'vitest' ? vitest : jest), 'environment.test.js'], {
    PATH: process.env.PATH ?? '',
  });
}

// The first build takes longest.
vi.setConfig({ testTimeout: 300_000 });

requires(
  'node24',
  runners,
  earlierVitest,
)('a test with the emulator', () => {
  describe.each([
    ['Vitest 4', runners],
    ['Vitest 3', earlierVitest],
  ])('in %s', (_, packages) => {
    test.each(['jsdom', 'happy-dom'])('can sign a user in if %s simulates a browser', async (environment) => {
      expect(await runIn('vitest', environment, inProcess, packages)).toMatch(/Tests\s+1 passed/);
    });
  });

  test.each(['vitest', 'jest'] as const)('can sign users in with the fake timers of %s', async (runner) => {
    expect(await runIn(runner, 'node', fakeTimers)).toMatch(/1 passed/);
  });

  test('fails with an error that names jsdom if Node rejects the signals of jsdom', async () => {
    expect(await runIn('vitest', 'jsdom', overHttp, earlierVitest)).toMatch(/Tests\s+1 passed/);
  });

  test('fails with an error that names jsdom if jsdom has no Request', async () => {
    expect(await runIn('jest', 'jsdom', withoutRequest)).toMatch(/1 passed/);
  });
});
