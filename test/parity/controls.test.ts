import { describe, expect, test } from 'vitest';
import { namedControlsOf } from '../../src/emulator/http/control.js';
import type { EmulatorRefusal } from '../../src/emulator/index.js';
import { controls } from '../../src/emulator/registry.js';
import { stage } from '../stage.js';
import { directoryRows } from './controls/directories.js';
import { roomRows } from './controls/rooms.js';
import { company, type Place } from './controls/row.js';
import { signInRows } from './controls/sign-in.js';
import { worldRows } from './controls/world.js';

// Every control is called both in process by its method and over HTTP by its route.

const rows = { ...worldRows, ...directoryRows, ...roomRows, ...signInRows };
const described = new Map(namedControlsOf(controls).map((one) => [one.name, one]));

const startEmulator = (): Promise<Place> =>
  stage({ seed: company, autoApprove: true, auditExportAfterMs: 1_000, deliver: () => new Response(null) });

/** A value with wire names instead of the callers' names; the keys of maps are unchanged. */
const wire = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(wire);
  if (typeof value !== 'object' || value === null) return value;
  const maps = ['customAttributes', 'rawAttributes', 'authMethods', 'worlds'];
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      maps.includes(key) ? own : wire(own),
    ]),
  );
};

/** A value without durations, which are real time, and without the salt of passwords. */
const timeless = (value: unknown): unknown =>
  value === undefined
    ? value
    : JSON.parse(JSON.stringify(value, (key, own) => (key === 'duration_ms' || key === 'password_hash' ? 0 : own)));

test('the test table has exactly one row for each control', () => {
  expect(Object.keys(rows).sort()).toEqual([...described.keys()].sort());
});

test('every control is also a method of the emulator object', async () => {
  const { emulator } = await startEmulator();
  const methodOf = (name: string): unknown =>
    name.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], emulator);

  expect([...described.keys()].filter((name) => typeof methodOf(name) !== 'function')).toEqual([]);
});

describe.each(Object.entries(rows))('the %s control of the emulator', (name, row) => {
  test('has the same effect over HTTP as in process', async () => {
    const first = await startEmulator();
    const other = await startEmulator();
    await row.before?.(first);
    await row.before?.(other);

    const idOf = async (at: Place) => (await row.find?.(at)) ?? '';
    const [line, ...sent] = row.request;

    const ids = [await idOf(first), await idOf(other)] as const;
    const inProcess = wire(await row.inProcess(first.emulator, ids[0]));
    const { status, headers, body } = await other.send(line.replace('{id}', ids[1]), ...sent);

    expect([status, headers.get('sallyport-emulator')]).toEqual([200, 'control']);
    const overHttp = body === '' ? undefined : body?.object === 'list' ? body.data : (body ?? undefined);
    // A key pair, its id and the salts of passwords are random each time.
    if (!['keys.rotate', 'snapshot'].includes(name)) expect(timeless(overHttp)).toEqual(timeless(inProcess));
    if (row.answer === undefined) expect(inProcess).toBeUndefined();
    else expect(inProcess).toMatchObject(row.answer as object);
    const seen = [await row.shows(first, ids[0]), await row.shows(other, ids[1])];
    expect(seen).toEqual([row.then, row.then]);
  });
});

test('every control requires the API key over HTTP', async () => {
  const { send } = await startEmulator();
  const answered: string[] = [];

  for (const [name, { request }] of Object.entries(rows)) {
    const [line, body] = request;
    const { status, headers, body: answer } = await send(line, body, { authorization: undefined });
    if (status === 401 && answer.code === 'missing_api_key' && headers.get('sallyport-emulator') === 'control')
      continue;
    answered.push(`${name}: ${status}`);
  }

  expect(answered).toEqual([]);
});

const refusals = Object.entries(rows).flatMap(([name, { refused }]) => (refused ? [[name, refused] as const] : []));
describe.each(refusals)('the %s control of the emulator', (_, { inProcess, request, status, code, fields }) => {
  test('rejects an invalid call with the same error over HTTP as in process', async () => {
    const started = await startEmulator();
    const other = await startEmulator();

    const refusal: EmulatorRefusal = await (async () => inProcess(started.emulator))().then(
      () => expect.unreachable('it was not refused'),
      (error) => error,
    );
    const answer = await other.send(...request);

    expect(refusal).toMatchObject({ name: 'EmulatorRefusal', status, code });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(refusal.body);
    expect(answer.body.errors?.map(({ field }: { readonly field: string }) => field)).toEqual(fields);
  });
});

test('every control with a parameter or a body has a test with an invalid call', () => {
  const unrefused = Object.entries(rows).filter(([, { refused }]) => !refused);

  // A query parameter is always text.
  const taking = unrefused.filter(([name]) => {
    const { path, io } = described.get(name)!.operation;
    return path.includes(':') || io.body !== undefined;
  });
  expect(taking.map(([name]) => name)).toEqual([]);
});
