import type { Fault } from 'sallyport/emulator';
import type { RefreshOptions } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { describe, expect, test } from 'vitest';
import { fakeTime, pass } from '../time.js';
import { forgetful, signedIn, tampered } from './signed-in.js';

/** A failure of a refresh. */
export type Failure = Fault | 'refused';

/** What the client gets after the service has handled a refresh. */
export const lostAnswers: Readonly<Record<string, Failure>> = {
  'connection reset': { connection: 'reset', carriedOut: true },
  'response cut off': { connection: 'cut' },
  'truncated body': { body: 'truncated', carriedOut: true },
  timeout: { never: true, carriedOut: true },
  'HTML from a proxy': { body: 'html', carriedOut: true },
  'status 500': { status: 500, carriedOut: true },
  'status 502': { status: 502, carriedOut: true },
  'status 503': { status: 503, carriedOut: true },
};

/** Reasons why a refresh does not reach the service. A client cannot tell most of them from a lost answer. */
export const lostRequests: Readonly<Record<string, Failure>> = {
  'connection refused': 'refused',
  'connection reset': { connection: 'reset' },
  timeout: { never: true },
  'HTML from a proxy': { status: 403, body: 'html' },
  'status 500': { status: 500 },
  'status 502': { status: 502 },
  'status 503': { status: 503 },
};

/** Answers which say that the service did not handle the refresh. */
export const busyAnswers: Readonly<Record<string, Failure>> = {
  'status 429': { status: 429 },
  'status 429 and a Retry-After of 4 seconds': { status: 429, retryAfterMs: 4_000 },
};

/** A kind of service. */
export interface Service {
  readonly dialect: 'spec' | 'workos';
  readonly honorsKeys: boolean;
}
export const workos: Service = { dialect: 'workos', honorsKeys: true };
export const workosWithoutKeys: Service = { dialect: 'workos', honorsKeys: false };
export const spec: Service = { dialect: 'spec', honorsKeys: true };
export const specWithoutKeys: Service = { dialect: 'spec', honorsKeys: false };
export const services = [workos, workosWithoutKeys, spec, specWithoutKeys];

/** The kinds of services that are tested with a failure: all of them with three failures, and two with the others, which are similar. */
export const servicesFor = (name: string): readonly Service[] =>
  ['connection reset', 'timeout', 'HTML from a proxy'].includes(name) ? services : [workosWithoutKeys, spec];

/** The conditions of a test at the end of its title, in brackets. */
export const conditionsOf = ({ dialect, honorsKeys }: Service, ...more: readonly string[]): string =>
  `(${[`${dialect} dialect`, ...(honorsKeys ? [] : ['no idempotency keys']), ...more].join(', ')})`;

/** The services of a row that are tested. */
export const among = (kinds: readonly Service[], all: readonly Service[]): Service[] =>
  all.filter((one) => kinds.includes(one));

/** The process that gets the second request of the browser. */
interface Place {
  readonly place: string;
  readonly retries?: number;
  readonly isOther?: boolean;
  readonly hasStore?: boolean;
}
const sameProcess: Place = { place: 'in the first process' };
const withoutRetries: Place = { place: 'in the first process', retries: 0 };
const otherProcess: Place = { place: 'in a second process', isOther: true };
const otherWithoutRetries: Place = { place: 'in a second process', retries: 0, isOther: true };
const otherWithStore: Place = { place: 'in a second process with the same store', isOther: true, hasStore: true };
const places = [sameProcess, withoutRetries, otherProcess, otherWithoutRetries, otherWithStore];

/** When the browser sends another request with the same cookie, in seconds after the first one. */
export const seconds = [29, 31, 600] as const;

export const operation = 'userManagement.authenticateWithRefreshToken';

type Row = Service & Place;
const rows = (all: readonly Service[], where: readonly Place[]): [string, string, Row][] =>
  where.flatMap((there) =>
    all.map((one): [string, string, Row] => [
      there.place,
      conditionsOf(one, ...(there.retries === 0 ? ['no retries'] : [])),
      { ...one, ...there },
    ]),
  );

/** The status of the second request after each of these waits. */
async function later(failure: Failure, row: Row): Promise<string[]> {
  const statuses: string[] = [];
  for (const second of seconds) statuses.push(await statusAt(second, failure, row));
  return statuses;
}

async function statusAt(second: number, failure: Failure, row: Row): Promise<string> {
  const { dialect, honorsKeys, isOther, hasStore, retries = 3 } = row;
  fakeTime();
  const world = await signedIn({ dialect, clock: undefined });
  const { emulator, jar } = world;
  const store = memoryStore();
  // An attempt that times out takes less than the shortest wait.
  const refresh: RefreshOptions = { timeoutMs: 400, maxRetries: retries, ...(hasStore && { store }) };
  // The first request makes two attempts if it is allowed to retry.
  const times = retries ? 2 : 1;
  let attempts = 0;
  const process = () => {
    const service = honorsKeys ? emulator.fetch : forgetful(world);
    const fetch = tampered(emulator, async (_, request) => {
      attempts++;
      if (failure === 'refused' && attempts <= times) throw new TypeError('fetch failed');
      return service(request);
    });
    return world.sessions({ fetch, refresh });
  };
  const first = process();
  emulator.clock.advance('6m');
  if (failure !== 'refused') await emulator.faults.add({ operation, times, ...failure });

  const failed = await pass(1_000, () => first.handle(jar.request));
  expect(failed).toMatchObject({ status: 'retry_later' });
  if (failure !== 'refused') await emulator.faults.clear();
  attempts = times;
  await pass((second - 1) * 1_000, async () => undefined);
  const { status } = await pass(1_000, () => (isOther ? process() : first).handle(jar.request));
  return status;
}

export const continues = ['refreshed', 'refreshed', 'refreshed'];
export const endsAfter30 = ['refreshed', 'signed_out', 'signed_out'];
/** The retry that used the token started 2.5 seconds after the first request. */
const endsAfter32 = ['refreshed', 'refreshed', 'signed_out'];
export const ends = ['signed_out', 'signed_out', 'signed_out'];

/** Test sessions that lose the answer to a refresh, with these kinds of services and each process of the next request. */
export function losesAnswer(name: string, kinds: readonly Service[]): void {
  const failure = lostAnswers[name]!;
  const tested = (all: readonly Service[], where: readonly Place[]) => rows(among(kinds, all), where);
  describe(`if the response to a refresh is lost (${name}), the session`, () => {
    test.each([...tested([workos, spec], places), ...tested([workosWithoutKeys], [sameProcess, otherWithStore])])(
      'continues %s %s',
      async (_place, _conditions, row) => {
        expect(await later(failure, row)).toEqual(continues);
      },
    );

    test.each(tested([workosWithoutKeys], [withoutRetries, otherProcess, otherWithoutRetries]))(
      'can be refreshed %s only in the next 30 seconds %s',
      async (_place, _conditions, row) => {
        expect(await later(failure, row)).toEqual(endsAfter30);
      },
    );

    test.each(tested([specWithoutKeys], places))('does not continue %s %s', async (_place, _conditions, row) => {
      expect(await later(failure, row)).toEqual(ends);
    });
  });
}

/** The same for a lost request. A retry in another process then uses the token. */
export function losesRequest(name: string, kinds: readonly Service[]): void {
  const failure = lostRequests[name]!;
  const tested = (all: readonly Service[], where: readonly Place[]) => rows(among(kinds, all), where);
  describe(`if a refresh does not reach the service (${name}), the session`, () => {
    test.each([
      ...tested(services, [sameProcess, withoutRetries, otherWithoutRetries, otherWithStore]),
      ...tested([workos, spec], [otherProcess]),
    ])('continues %s %s', async (_place, _conditions, row) => {
      expect(await later(failure, row)).toEqual(continues);
    });

    test.each(tested([workosWithoutKeys], [otherProcess]))(
      'continues %s for only 30 seconds after the first process retries the refresh %s',
      async (_place, _conditions, row) => {
        expect(await later(failure, row)).toEqual(endsAfter32);
      },
    );

    test.each(tested([specWithoutKeys], [otherProcess]))(
      'does not continue %s after the first process retries the refresh %s',
      async (_place, _conditions, row) => {
        expect(await later(failure, row)).toEqual(ends);
      },
    );
  });
}

/** The same for a service that is too busy. */
export function isBusy(name: string): void {
  const failure = busyAnswers[name]!;
  describe(`if the service rejects a refresh with ${name}, the session`, () => {
    test.each(rows(services, places))('continues %s %s', async (_place, _conditions, row) => {
      expect(await later(failure, row)).toEqual(continues);
    });
  });
}
