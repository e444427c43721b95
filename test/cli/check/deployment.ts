import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createEmulator, type Emulator, type EmulatorOptions } from 'sallyport/emulator';
import { onTestFinished } from 'vitest';
import { type CheckFlags, check } from '../../../src/cli/check/check.js';

type Json = Record<string, unknown>;

/** A request on its way to the emulator. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
}

/** A difference that a test plants between the check and the emulator. */
export interface Planted {
  /** Change a request before it arrives. */
  readonly request?: (request: Passing) => Json | undefined;
  /** Change an answer. Returns what replaces its status and body. */
  readonly answer?: (request: Passing, answer: { readonly status: number; readonly body: Json }) => Json | undefined;
}

const parsed = (text: string): Json => (text === '' ? {} : JSON.parse(text));

/** Start an emulator behind a proxy, which plants differences, over real HTTP. */
export async function deployment({
  dialect = 'workos',
  issuer,
  rateLimits = false,
  ...planted
}: Planted & Pick<EmulatorOptions, 'issuer' | 'rateLimits'> & { readonly dialect?: 'spec' | 'workos' } = {}) {
  let emulator: Emulator;
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const text = String(await buffer(incoming));
    const passing: Passing = {
      method: incoming.method!,
      path: incoming.url!,
      headers: new Headers(Object.entries(incoming.headers) as [string, string][]),
      body: /^[{[]/.test(text) ? JSON.parse(text) : {},
    };
    requests.push(`${passing.method} ${passing.path}`);
    const changed = planted.request?.(passing);
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) passing.headers.delete(name);
    const answer = await emulator.fetch(passing.path, {
      method: passing.method,
      headers: passing.headers,
      redirect: 'manual',
      ...(text === '' ? {} : { body: changed ? JSON.stringify(changed) : text }),
    });
    const body = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    const original = { status: answer.status, body: isJson ? parsed(body) : {} };
    const { status = original.status, ...replaced } = planted.answer?.(passing, original) ?? {};
    outgoing.writeHead(Number(status), { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    outgoing.end('body' in replaced ? JSON.stringify(replaced.body) : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  emulator = await createEmulator({
    dialect,
    clock: '2026-01-01T00:00:00.000Z',
    publicUrl: url,
    rateLimits,
    ...(issuer && { issuer }),
  });
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-check-'));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { apiKey, clientId } = emulator.credentials;
  const env = {
    SALLYPORT_API_KEY: apiKey,
    SALLYPORT_CLIENT_ID: clientId,
    SALLYPORT_BASE_URL: url,
    SALLYPORT_DIALECT: dialect,
    XDG_STATE_HOME: folder,
  };
  return { emulator, url, requests, folder, env };
}

/** Run the check in this process, on the clock of the emulator. */
export async function checked(
  { emulator, folder, env, requests }: Awaited<ReturnType<typeof deployment>>,
  flags: CheckFlags = {},
  signal: AbortSignal = new AbortController().signal,
) {
  // `before` is the part before the first request of this run.
  const output = { out: '', err: '', before: '' };
  const earlier = requests.length;
  const write = (to: 'out' | 'err', line: string): void => {
    output[to] += `${line}\n`;
    if (requests.length === earlier) output.before += `${line}\n`;
  };
  const run = check(
    { json: true, ...flags },
    {
      folder,
      env,
      now: () => emulator.clock.now(),
      async sleep(ms) {
        // The emulator delivers in real time, and the check waits by this clock.
        await emulator.waitForDeliveries();
        await emulator.clock.advance(ms);
      },
      signal,
      print: (line) => write('out', line),
      tell: (line) => write('err', line),
    },
  );
  const code = await run;
  const { findings = [] } = flags.json === false ? {} : JSON.parse(output.out);
  return { code, ...output, findings: findings as { says: string; happened: string; outcome: string }[] };
}

/** A local URL with a free port. */
export async function freeUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/${randomUUID()}`;
}

/** The statements that differ from the service. */
export const differing = (findings: readonly { readonly says: string; readonly outcome: string }[]): string[] =>
  findings.filter(({ outcome }) => outcome === 'differs').map(({ says }) => says);

/** The data in an emulator, by section of a seed. */
export const dataIn = async (emulator: { export(options: { format: 'json' }): Promise<string> }) =>
  JSON.parse(await emulator.export({ format: 'json' }));
