import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from 'node-sqlite3-wasm';
import { exactlyOnce } from 'sallyport/streams';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openUserDatabase } from '../../src/cli/dead-letters/user-database.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { requires, takesLong } from '../runner/requirements.js';
import { type Pool, packages, pgPool } from '../streams/once/drivers.js';
import { userEvent } from '../streams/once/events.js';
import { commandLine } from './programs.js';

takesLong('sallyport dead-letters', () => {
  const { sallyportIn } = commandLine();
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-letters-'));
    file = join(folder, 'app.sqlite');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Run a function with the database of the application, which is open only during the call. */
  async function within<Result>(run: (once: ReturnType<typeof applied>, database: Database) => Promise<Result>) {
    const database = new Database(file);
    try {
      return await run(applied(database), database);
    } finally {
      database.close();
    }
  }
  const applied = (database: Database) =>
    exactlyOnce(database, {
      handler: ({ data }) => {
        if ((data as { email: string }).email.startsWith('bad'))
          throw new Error('sk_test_a1b2c3d4e5f6g7h8 was refused');
      },
      maxRetries: 0,
    });

  beforeEach(() =>
    within(async (once, database) => {
      await once.setUp();
      for (const table of ['events', 'objects', 'dead_letters']) database.exec(`DELETE FROM sallyport_${table}`);
      for (const second of [1, 2]) await once.apply(userEvent(second, 'created', 'bad@acme.test', `user_${second}`));
    }),
  );

  const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin?: string) => {
    const { child, output, exit } = sallyportIn(
      { env: { NO_COLOR: '1', DATABASE_URL: file, ...env } },
      'dead-letters',
      ...args,
    );
    child.stdin?.end(stdin);
    return { code: await exit, ...output };
  };

  test("prints a dead letter's error without terminal control characters", async () => {
    await within((once) =>
      once.deadLetters.add({
        event: userEvent(1, 'created', 'bad@acme.test', 'user_1'),
        error: new Error('\u001b[2Jall is \u001b[31mwell'),
        attempts: 1,
      }),
    );

    const { out } = await run(['list', '--limit', '1']);

    expect(out).toMatch(/Error: \?\[2Jall is \?\[31mwell\n/);
  });

  test('replaces control characters and direction marks in text output, and escapes the characters in JSON output', async () => {
    const odd = 'a\u009b31m\u202eb\u2028\u007f';
    const event = userEvent(0, 'created', `bad${odd}@acme.test`, 'user_1');
    await within((once) => once.deadLetters.add({ event, error: new Error(odd), attempts: 1 }));

    const list = await run(['list', '--limit', '1']);
    const json = await run(['list', '--limit', '1', '--json']);
    const show = await run(['show', 'event_0000']);

    expect(list.out).toMatch(/Error: a\?31m\?b\?\?\n/);
    expect(JSON.parse(json.out)).toMatchObject({ error: `Error: ${odd}` });
    expect(JSON.parse(show.out)).toMatchObject({ error: `Error: ${odd}`, event: { data: event.data } });
    for (const { out } of [list, json, show]) expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    expect(show.out).toContain('bada\\u009b31m\\u202eb\\u2028\\u007f@acme.test');
  });

  test('lists the id, type and error of each dead letter, but not the event data', async () => {
    const all = await run(['list']);
    const first = await run(['list', '--limit', '1', '--database', file], { DATABASE_URL: undefined });
    const rest = await run(['list', '--after', 'event_0001', '--json']);

    expect(all.code).toBe(0);
    expect(all.out).toMatch(
      /^event_0001 {2}user\.created {2}failed once, last at 20\S+Z {2}Error: sk_…\w{4} was refused\nevent_0002 .*\n$/,
    );
    expect(first.out).toMatch(/^event_0001 .*\nThere may be more. To continue, add --after event_0001\n$/);
    expect(JSON.parse(rest.out)).toMatchObject({ id: 'event_0002', attempts: 1, isMarked: false });
    expect(all.out + rest.out).not.toContain('bad@acme.test');
  });

  test('shows a dead letter with its event', async () => {
    const { out } = await run(['show', 'event_0001']);

    expect(JSON.parse(out)).toMatchObject({ id: 'event_0001', event: { data: { email: 'bad@acme.test' } } });
  });

  test('marks dead letters for replay by a worker', async () => {
    const one = await run(['replay', 'event_0001']);
    const all = await run(['replay', '--all']);

    expect([one.out, all.out].join('')).toMatch(/^Marked 1 dead letter\. Your worker.*\nMarked 2 dead letters\. /);
    expect(await within((once) => once.replayMarked())).toMatchObject([
      { id: 'event_0001', outcome: 'failed' },
      { id: 'event_0002', outcome: 'failed' },
    ]);
    expect(await within((once) => once.replayMarked())).toEqual([]);
  });

  test('replays a dead letter with a corrected event from a file', async () => {
    const letter = join(folder, 'letter.json');
    const { out } = await run(['show', 'event_0001']);
    writeFileSync(letter, out.replace('bad@', 'ada@'));

    const replayed = await run(['replay', 'event_0001', '--with', letter]);

    expect(replayed).toMatchObject({ code: 0, out: expect.stringMatching(/^Marked 1 dead letter\. /) });
    expect(await within((once) => once.replayMarked())).toEqual([{ id: 'event_0001', outcome: 'applied' }]);
    expect((await run(['list'])).out).toMatch(/^event_0002 .*\n$/);
  });

  test.each([
    ['is not JSON', 'ada', ['event_0001'], /The file of --with is not valid JSON\. Nothing was changed\./],
    [
      'contains a different event',
      '{"event":{"id":"event_0002"}}',
      ['event_0001'],
      /must be an event with the id event_0001/,
    ],
    ['contains no event', '{}', ['event_0001'], /must be an event with the id event_0001/],
    ['is UTF-16', Buffer.from('{}', 'utf16le'), ['event_0001'], /--with \S+ is not UTF-8 text/],
    [
      'is combined with --all',
      '{}',
      ['--all'],
      /--with replaces the event of one dead letter\. Pass its id instead of --all\./,
    ],
  ])('does not mark any dead letters for replay if the --with file %s', async (_, content, args, message) => {
    const letter = join(folder, 'letter.json');
    writeFileSync(letter, content);

    const { code, err } = await run(['replay', ...args, '--with', letter]);

    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect((await run(['list', '--json'])).out).not.toContain('"isMarked":true');
  });

  test('names the missing --with file in the error', async () => {
    const { code, err } = await run(['replay', 'event_0001', '--with', join(folder, 'missing.json')]);

    expect(code).toBe(1);
    expect(err).toMatch(/--with \S+missing\.json cannot be read\. The file does not exist\./);
  });

  test('removes a dead letter', async () => {
    expect((await run(['remove', 'event_0001'])).out).toBe('Removed event_0001.\n');
    expect(await run(['remove', 'event_0001'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('No dead letter'),
    });
    expect((await run(['list'])).out).toMatch(/^event_0002 .*\n$/);
  });

  test.each([
    ['an unknown action', ['lists'], /has no action "lists"\. Its actions are list, show, replay, remove\./],
    ['a missing dead letter id', ['show'], /show needs the id of a dead letter: sallyport dead-letters show event_…/],
    ['a replay without a dead letter id', ['replay'], /id of a dead letter, or --all\./],
    ['a limit that is not a number', ['list', '--limit', 'many'], /--limit must be a whole number/],
    [
      'a database without the required tables',
      ['list', '--prefix', 'other_'],
      /This database has no table other_dead_letters\. .* setUp\(\) once in your application\./,
    ],
    ['a table prefix that is not a valid name', ['list', '--prefix', 'x;'], /prefix must be at most 41 letters/],
    [
      'a database file that does not exist',
      ['list', '--database', 'nowhere.sqlite'],
      /The file nowhere\.sqlite does not exist\./,
    ],
    ['a MySQL database', ['list', '--database', 'mysql://root:secret@localhost/app'], /must be a postgres:\/\/ URL/],
  ])('rejects %s', async (_what, args, message) => {
    const { code, out, err } = await run(args);

    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(out + err).not.toContain('secret');
  });

  test('explains how to provide a missing driver or database', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    const withoutDriver = sallyportIn(
      { cwd: empty, env: { NO_COLOR: '1', DATABASE_URL: 'postgres://app:secret@localhost/app' } },
      'dead-letters',
      'list',
    );
    await withoutDriver.exit;
    const unnamed = await run(['list'], { DATABASE_URL: undefined });

    expect(withoutDriver.output.err).toMatch(
      /no driver for PostgreSQL: none of pg, postgres is installed\. .* install pg or postgres\./,
    );
    expect(withoutDriver.output.err).not.toContain('secret');
    expect(unnamed.err).toContain('No database was given. Pass its URL or file with --database');
  });
});

requires('postgresql', packages)('sallyport dead-letters in PostgreSQL', () => {
  const { sallyportIn } = commandLine();
  let server: Service;
  let folder: string;
  beforeAll(async () => {
    server = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), 'sallyport-letters-'));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true });
  });

  /** A project with this driver installed. */
  const projectWith = (driver: string): string => {
    const project = mkdtempSync(join(folder, 'project-'));
    mkdirSync(join(project, 'node_modules'));
    for (const name of readdirSync(packages))
      if (!name.startsWith('.') && name !== (driver === 'pg' ? 'postgres' : 'pg'))
        symlinkSync(resolve(packages, name), join(project, 'node_modules', name));
    return project;
  };

  test.each(['pg', 'postgres'])('lists and marks dead letters through the driver %s', async (driver) => {
    const project = projectWith(driver);
    const pool = pgPool(server.url);
    const once = exactlyOnce(pool, { prefix: `${driver}_`, handler: () => {} });
    await once.setUp();
    await once.deadLetters.add({ event: userEvent(1, 'created', 'ada@acme.test'), error: new Error('no') });
    const run = async (...args: string[]) => {
      const { output, exit } = sallyportIn(
        { cwd: project, env: { NO_COLOR: '1', DATABASE_URL: server.url } },
        ...['dead-letters', ...args, '--prefix', `${driver}_`],
      );
      return [await exit, output.out, output.err];
    };

    const listed = await run('list');
    const marked = await run('replay', 'event_0001');
    const replayed = await once.replayMarked();
    await pool.end();

    expect(listed).toEqual([
      0,
      expect.stringMatching(/^event_0001 {2}user\.created {2}failed once, .* {2}Error: no\n$/),
      '',
    ]);
    expect(marked).toEqual([0, expect.stringContaining('Marked 1 dead letter.'), '']);
    expect(replayed).toEqual([{ id: 'event_0001', outcome: 'applied' }]);
  });

  test('prints an error if the server closes the connection while the command waits for a lock', async () => {
    const pool = pgPool(server.url);
    const once = exactlyOnce(pool, { prefix: 'waiting_', handler: () => {} });
    await once.setUp();
    const holder = await pool.connect();
    onTestFinished(async () => {
      await holder.query('ROLLBACK');
      holder.release();
      await pool.end();
    });
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE waiting_dead_letters');
    const { output, exit } = sallyportIn(
      { cwd: projectWith('pg'), env: { NO_COLOR: '1', DATABASE_URL: server.url } },
      ...['dead-letters', 'list', '--prefix', 'waiting_'],
    );

    const terminate = `SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%waiting_dead_letters%' AND pid <> pg_backend_pid()`;
    while ((await pool.query(terminate)).rows.length === 0) await pause(20);

    expect(await exit).toBe(1);
    expect(output.err).toContain('terminating connection due to administrator command');
    expect(output.err).not.toContain('Unhandled');
  });

  test('reconnects after the server has closed an idle connection', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(projectWith('pg'));
    const { handle, close } = openUserDatabase(server.url) as { handle: Pool; close(): Promise<void> };
    vi.restoreAllMocks();
    const pool = pgPool(server.url);
    onTestFinished(async () => {
      await close();
      await pool.end();
    });
    const { rows } = await handle.query('SELECT pg_backend_pid() AS pid');

    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    while (handle.totalCount > 0) await pause(20);

    expect(await handle.query('SELECT 1 AS one')).toMatchObject({ rows: [{ one: 1 }] });
  });
});
