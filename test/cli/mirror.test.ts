import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from 'node-sqlite3-wasm';
import { mirror } from 'sallyport/mirror';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { stage } from '../stage.js';
import { commandLine } from './programs.js';

takesLong('sallyport mirror verify', () => {
  const { sallyportIn } = commandLine();
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-mirror-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('exits with code 1 only if differences remain', async () => {
    const { emulator, sallyport } = await stage({ clock: undefined, listen: true });
    const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    // The stream would receive this event again and repair the row by itself.
    await emulator.clock.advance('5m');
    const file = join(folder, 'app.sqlite');
    const database = new Database(file);
    const copy = mirror(sallyport, { into: database, maxLagMs: 10_000 });
    await copy.setUp();
    void copy.run();
    await copy.ready();
    await copy.close();
    database.exec('DELETE FROM sallyport_users');
    database.close();
    const run = async (...args: string[]) => {
      const env = {
        DATABASE_URL: file,
        SALLYPORT_BASE_URL: String(emulator.url),
        SALLYPORT_API_KEY: emulator.credentials.apiKey,
        SALLYPORT_DIALECT: 'spec',
      };
      const { output, exit } = sallyportIn({ env }, 'mirror', 'verify', '--json', ...args);
      return { code: await exit, ...output };
    };

    const found = [{ kind: 'users', id: ada.id, difference: 'missing' }];
    const first = await run();
    expect([first.code, JSON.parse(first.out)]).toEqual([1, { records: 1, found, remaining: found }]);
    const second = await run('--repair');
    expect([second.code, JSON.parse(second.out)]).toEqual([0, { records: 1, found, remaining: [] }]);
    const third = await run();
    expect([third.code, JSON.parse(third.out)]).toEqual([0, { records: 1, found: [], remaining: [] }]);
  });
});
