import { expect, onTestFinished, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import { startPostgres } from '../databases/postgres.js';
import { requires } from '../runner/requirements.js';
import { stage } from '../stage.js';
import { packages } from '../streams/once/drivers.js';
import { Replicas } from './replicas.js';

requires('postgresql', packages)('a mirror with two processes', () => {
  const programs = programsOf(['test/mirror/replica.ts']);

  test('continues in the second process within 13 seconds after the first process is killed', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const { emulator } = await stage({ clock: undefined, listen: true });
    const replicas = new Replicas(programs.file('replica'));
    onTestFinished(() => replicas.close());
    const env = { DATABASE_URL: server.url, SERVICE: String(emulator.url), API_KEY: emulator.credentials.apiKey };
    replicas.start(env);
    replicas.start(env);
    await expect.poll(() => replicas.states).toEqual(['following', 'standby']);

    await replicas.kill(await replicas.withState('following'));
    const killedAt = performance.now();
    await replicas.withState('following');

    expect(performance.now() - killedAt).toBeLessThan(13_000);
  });
});
