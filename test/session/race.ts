import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Sallyport } from '../../src/index.js';
import { createSessions, type Password } from '../../src/session/index.js';
import { programsOf } from '../builds/programs.js';
import { Jar } from './jar.js';
import { type Raced, type Round, racer, type Setup } from './racer.js';
import { password } from './signed-in.js';

const next = 'another-password-of-32-characters!';

let programs: ReturnType<typeof programsOf>;
const refresh = 'userManagement.authenticateWithRefreshToken';

/** Start an emulator that can lose its answer to a refresh. Without `passesKeys`, a proxy removes the idempotency keys. */
export async function service({ passesKeys = true } = {}) {
  const emulator = await createEmulator({ clock: '2026-01-01T00:00:00.000Z' });
  onTestFinished(() => emulator.close());
  const url = await emulator.listen();
  return {
    emulator,
    url: passesKeys ? url : await withoutKeys(url),
    // The emulator does the work, but the caller gets no answer.
    loseNextAnswer: () => emulator.failNext(refresh, { connection: 'reset', carriedOut: true }),
    rotations: () => emulator.served.get(refresh) ?? 0,
  };
}

/** Address of the same service without idempotency keys. */
async function withoutKeys(behind: string): Promise<string> {
  const front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(behind + request.url, {
      method: request.method ?? 'GET',
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  // Listening on a port gives an address with a port.
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

/** Signs Ada in, and keeps her cookie. */
export async function signIn(emulator: Emulator, setup: Setup): Promise<Jar> {
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const credentials = { email: 'ada@example.com', password: 'analytical-engine' };
  await sallyport.userManagement.createUser({ ...credentials, emailVerified: true });
  const jar = new Jar();
  jar.keep(await createSessions(setup).create(await sallyport.userManagement.authenticateWithPassword(credentials)));
  return jar;
}

/** The workers of a race. */
export interface Runner {
  run(round: Round): Promise<Raced[]>;
}

/** Create the programs of workers for the tests of a file or suite. */
export function workers(...sources: readonly string[]): void {
  programs = programsOf(sources);
}

/** Starts a worker in a separate process. */
export async function processOf<Told extends Setup>(setup: Told, worker = 'race-worker'): Promise<Runner> {
  const child = fork(programs.file(worker), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => {
    child.kill();
  });
  await once(child, 'spawn');
  child.send(setup);
  return {
    async run(round) {
      child.send(round);
      const [results] = await once(child, 'message');
      return results;
    },
  };
}

/** Run rounds of concurrent refreshes. Each round uses a cookie from a response of the previous round. */
export async function race(
  { emulator, loseNextAnswer, rotations }: Awaited<ReturnType<typeof service>>,
  runners: readonly Runner[],
  requests: number,
  jar: Jar,
  { rounds, loses }: { readonly rounds: number; readonly loses: boolean },
): Promise<void> {
  for (let at = 0; at < rounds; at++) {
    emulator.clock.advance('6m');
    if (loses) await loseNextAnswer();
    const before = rotations();
    const round = { cookie: jar.header, requests, now: emulator.clock.now() };

    const results = (await Promise.all(runners.map((one) => one.run(round)))).flat();
    jar.keep(results[at % results.length]!.cookies);

    expect(results.map(({ status, reason }) => reason ?? status)).toEqual(results.map(() => 'refreshed'));
    expect(results).toHaveLength(runners.length * requests);
    expect(new Set(results.map(({ token }) => token)).size).toBe(1);
    expect(rotations() - before).toBe(1);
  }
}

/** Number of rounds of a race. */
export interface Rounds {
  /** With one password. */
  readonly refreshes: number;
  /** While the deployments change the password. */
  readonly exchanges: number;
}

const kinds = [
  ['if every response arrives,', false],
  ['if the first refresh response is lost,', true],
] as const;

/** Test what must hold after every round of a race in one process. */
export function racesInOneProcess(rounds: number): void {
  describe.each(kinds)('%s', (_, loses) => {
    test('10 parallel requests in one process share one token rotation', async () => {
      const there = await service();
      const setup: Setup = { ...there.emulator.credentials, baseUrl: there.url, cookiePassword: password };
      const jar = await signIn(there.emulator, setup);

      await race(there, [{ run: racer(setup) }], 10, jar, { rounds, loses });
    }, 180_000);
  });
}

/** Test the same in four processes, and while two deployments change the password. */
export function racesOfProcesses({ refreshes, exchanges }: Rounds): void {
  workers('test/session/race-worker.ts');

  describe.each(kinds)('%s', (_, loses) => {
    test('12 parallel requests share one token rotation', async () => {
      const there = await service();
      const setup: Setup = { ...there.emulator.credentials, baseUrl: there.url, cookiePassword: password };
      const jar = await signIn(there.emulator, setup);
      const runners = await Promise.all([1, 2, 3, 4].map(() => processOf(setup)));

      await race(there, runners, 3, jar, { rounds: refreshes, loses });
    }, 180_000);

    test('parallel requests share one token rotation while two deployments change the password', async () => {
      const there = await service();
      const setupWith = (order: Password): Setup => ({
        ...there.emulator.credentials,
        baseUrl: there.url,
        cookiePassword: order,
      });
      const [first, second] = [
        { id: '1', secret: password },
        { id: '2', secret: next },
      ];
      const before = setupWith([first, second]);
      const after = setupWith([second, first]);
      const jar = await signIn(there.emulator, before);
      const runners = await Promise.all([before, before, after, after].map((setup) => processOf(setup)));

      await race(there, runners, 3, jar, { rounds: exchanges, loses });
    }, 180_000);
  });
}
