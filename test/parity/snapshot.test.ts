import { describe, expect, test } from 'vitest';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.js';
import { Sallyport } from '../../src/index.js';
import { specifiedOperations } from '../spec/operations.js';
import { tour } from './tour.js';

// After a tour through the whole service, an emulator with a snapshot of another gives the same answers.

const options = {
  seed: 'examples/company.yaml',
  clock: '2026-05-04T08:00:00.000Z',
  ids: 'tour',
  autoApprove: true,
  auditExportAfterMs: 1_000,
} satisfies EmulatorOptions;

/** Operations that read although they use POST. */
const readings = ['/fga/v1/check', '/fga/v1/query'];

/** A request of the tour that can be repeated. */
interface Reading {
  readonly line: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

async function toured(dialect: 'spec' | 'workos') {
  const emulator = await createEmulator({ ...options, dialect });
  const repeatable: Reading[] = [];
  const look: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = request.method === 'GET' ? undefined : await request.clone().text();
    if (request.method === 'GET' || readings.some((one) => pathname.startsWith(one)))
      repeatable.push({ line: `${request.method} ${pathname}${search}`, headers: [...request.headers], body });
    return emulator.fetch(request);
  };
  const sallyport = new Sallyport({ ...emulator.credentials, dialect, fetch: look });
  for (const { id } of specifiedOperations) await tour[id]!({ sallyport, emulator, fetch: look });
  const user = await sallyport.userManagement.createUser({ email: 'zoe@harbour.test', password: 'correct horse' });
  await sallyport.userManagement.updateUser({ userId: user.id, emailVerified: true });
  const signedIn = await sallyport.userManagement.authenticateWithPassword({
    email: 'zoe@harbour.test',
    password: 'correct horse',
  });
  return { emulator, made: repeatable, refreshToken: signedIn.refreshToken };
}

async function answers({ fetch, url }: Emulator, made: readonly Reading[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { line, headers, body = null } of made) {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(url + path, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body,
    });
    // Pages have a new nonce each time.
    const text = (await response.text()).replaceAll(/nonce="[^"]*"/g, '');
    texts.push(`${line} ${response.status} ${text}`);
  }
  return texts;
}

describe.each(['spec', 'workos'] as const)('in the %s dialect,', (dialect) => {
  test('an emulator restored from a snapshot returns the same bytes as the original emulator', async () => {
    const { emulator, made, refreshToken } = await toured(dialect);
    const other = await createEmulator({ ...options, seed: undefined, clock: '2030-01-01', dialect });
    const text = JSON.stringify(emulator.snapshot());

    await other.restore(JSON.parse(text));

    expect(JSON.parse(JSON.stringify(other.snapshot()))).toEqual(JSON.parse(text));
    const { apiKey, clientId } = emulator.credentials;
    const authorization = ['authorization', `Bearer ${apiKey}`] as const;
    const lists = ['inbox', 'deliveries', 'faults', 'dropped', 'clock'].map(
      (name): Reading => ({ line: `GET /_emulator/${name}`, headers: [authorization], body: undefined }),
    );
    const refresh: Reading = {
      line: 'POST /user_management/authenticate',
      headers: [authorization, ['content-type', 'application/json']],
      body: JSON.stringify({
        client_id: clientId,
        client_secret: apiKey,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      }),
    };
    const all = [...made, ...lists, refresh];
    expect(made.length).toBeGreaterThan(50);
    const expected = await answers(emulator, all);
    expect(await answers(other, all)).toEqual(expected);
    expect(expected.at(-1)).toMatch(/^POST \/user_management\/authenticate 200 /);
    await Promise.all([emulator.close(), other.close()]);
  });

  test('a snapshot is unchanged after serialization to JSON', async () => {
    const { emulator } = await toured(dialect);
    const snapshot = emulator.snapshot();

    expect(snapshot).toEqual(JSON.parse(JSON.stringify(snapshot)));
    expect(Object.keys(snapshot.worlds.staging!).length).toBeGreaterThan(35);
    await emulator.close();
  });
});
