import { Database } from 'node-sqlite3-wasm';
import { createSessions } from 'sallyport/session';
import { exactlyOnce, follow, memoryCheckpoint } from 'sallyport/streams';
import { expect, onTestFinished, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { clientWith } from '../servers/server.js';
import { wireUser } from '../servers/wire.js';
import { Jar } from '../session/jar.js';
import { ada, password } from '../session/signed-in.js';
import { stage } from '../stage.js';
import { visitedFiles } from './visited-files.js';

// A reader can follow a call through few files. The responses of the service are recorded before, because the emulator
// uses some of the same files.

/** Make a request once, and return the recorded response from then on. */
const recorded = async (answer: Response): Promise<() => Response> => {
  const text = await answer.text();
  return () => new Response(text, { status: answer.status, headers: answer.headers });
};

takesLong('the number of executed source files', () => {
  test('is at most 17 for a call to userManagement.getUser', async () => {
    const sallyport = clientWith(async () => Response.json(wireUser()));

    const files = await visitedFiles(() => sallyport.userManagement.getUser('user_01HZXW5T4M8Q2R6V9Y3B7C1D0E'));

    expect(files).toContain('src/client/users.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(17);
  });

  test('is at most 29 for a call to sessions.handle with an expired access token', async () => {
    const { emulator, sallyport } = await stage();
    await sallyport.userManagement.createUser({ ...ada, emailVerified: true });
    const answers = new Map<string, () => Response>();
    const later = emulator.clock.now() + 6 * 60_000;
    const sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: password,
      now: () => later,
      fetch: async (input, init) =>
        answers.get(init?.body ? JSON.parse(String(init.body)).refresh_token : `${input}`)!(),
    });
    const { clientId, apiKey, baseUrl } = emulator.credentials;
    const record = async (key: string, request: Request): Promise<void> => {
      answers.set(key, await recorded(await emulator.fetch(request)));
    };
    const signIns = await Promise.all([1, 2, 3].map(() => sallyport.userManagement.authenticateWithPassword(ada)));
    const jars = await Promise.all(
      signIns.map(async (tokens) => {
        const jar = new Jar();
        jar.keep(await sessions.create(tokens));
        return jar;
      }),
    );
    await emulator.clock.set(later);
    const keys = `${baseUrl}/sso/jwks/${clientId}`;
    await record(keys, new Request(keys));
    for (const { refreshToken } of signIns) {
      const grant = {
        client_id: clientId,
        client_secret: apiKey,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      };
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(grant) };
      await record(refreshToken, new Request(`${baseUrl}/user_management/authenticate`, init));
    }
    const statuses: string[] = [];

    const files = await visitedFiles(async () => {
      const { status } = await sessions.handle(new Request('https://app.test/', jars.pop()!));
      statuses.push(status);
    });

    expect(statuses).toEqual(['refreshed', 'refreshed', 'refreshed']);
    expect(files).toContain('src/session/refresh/refresh.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(29);
  });

  test('is at most 36 for a request to the emulator', async () => {
    const { emulator } = await stage();
    const headers = { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' };
    const statuses: number[] = [];

    const files = await visitedFiles(async () => {
      const init = { method: 'POST', headers, body: JSON.stringify({ name: 'Acme' }) };
      statuses.push((await emulator.fetch('/organizations', init)).status);
    });

    expect(statuses).toEqual([200, 200, 200]);
    expect(files).toContain('src/emulator/rooms/organizations/routes.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(36);
  });

  test('is at most 49 for an event handled by follow and exactlyOnce', async () => {
    const feed: object[] = [];
    const sallyport = clientWith(async (input) => {
      const after = new URL(`${input instanceof Request ? input.url : input}`).searchParams.get('after');
      const data = feed.slice(after ? Number(after.slice(-2)) + 1 : 0);
      return Response.json({ object: 'list', data, list_metadata: { before: null, after: null } });
    });
    const database = new Database();
    onTestFinished(() => database.close());
    const once = exactlyOnce(database, { handler: () => {} });
    await once.setUp();
    const stream = follow(sallyport, { checkpoint: memoryCheckpoint(), pollMs: 60_000 });
    onTestFinished(() => stream.close({ timeoutMs: 0 }));
    let handled = (): void => {};
    const ended = stream.run(async (event, delivery) => {
      await once.handle(event, delivery);
      handled();
    });
    ended.catch(() => {});

    const files = await visitedFiles(async () => {
      const done = new Promise<void>((resolve) => {
        handled = resolve;
      });
      const id = `event_01HZXW5T4M8Q2R6V9Y3B7C1D${String(feed.length).padStart(2, '0')}`;
      feed.push({ object: 'event', id, event: 'user.created', data: wireUser(), created_at: new Date().toISOString() });
      stream.poke();
      await done;
      await new Promise((resolve) => setImmediate(resolve));
    });

    expect(database.all('SELECT outcome FROM sallyport_events')).toEqual(Array(3).fill({ outcome: 'applied' }));
    expect(files).toContain('src/streams/once/exactly-once.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(49);
  });
});
