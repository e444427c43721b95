import { expect, test } from 'vitest';
import { emptySqlite } from '../databases/sqlite.js';
import { takesLong } from '../runner/requirements.js';
import { mirrorWorld } from './world.js';

takesLong('a mirror', () => {
  test('stops with write_failed if the database keeps rejecting a record, and resumes in the next run', async () => {
    const into = emptySqlite();
    const { sallyport, mirrorOf } = await mirrorWorld({}, into);
    const mirror = await mirrorOf();
    const running = mirror.run();
    const outcome = running.catch((error: unknown) => error);
    await mirror.ready();
    into.exec(`CREATE TRIGGER refuse BEFORE INSERT ON sallyport_users WHEN NEW.email LIKE 'bad@%'
      BEGIN SELECT RAISE(ABORT, 'refused by the application'); END`);
    const bad = await sallyport.userManagement.createUser({ email: 'bad@acme.test' });

    expect(await outcome).toMatchObject({
      name: 'MirrorError',
      code: 'write_failed',
      message: expect.stringContaining('refused by the application'),
    });
    expect(await mirror.health()).toMatchObject({ ok: false, line: expect.stringMatching(/^failed: /) });
    expect(into.all('SELECT id FROM sallyport_users')).toEqual([]);

    into.exec('DROP TRIGGER refuse');
    const next = await mirrorOf();
    void next.run();
    await next.settled({ kind: 'users', ...bad });
    expect(into.all('SELECT id FROM sallyport_users')).toEqual([{ id: bad.id }]);
  });
});
