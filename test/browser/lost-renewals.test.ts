import type { BrowserClient } from 'sallyport/browser';
import { describe, expect, onTestFinished, test } from 'vitest';
import { triesAll } from '../runner/property.js';
import {
  among,
  busyAnswers,
  conditionsOf,
  continues,
  ends,
  endsAfter30,
  type Failure,
  lostAnswers,
  lostRequests,
  operation,
  type Service,
  seconds,
  servicesFor,
  spec,
  specWithoutKeys,
  workos,
  workosWithoutKeys,
} from '../session/lost-answer.js';
import { company, stage } from '../stage.js';
import { fakeTime, pass } from '../time.js';
import { type BrowserClientOptions, createBrowserClient } from './client.js';
import { site } from './surroundings.js';

/** The first call of the page. */
type Call = 'refresh' | 'switch organizations';
const calls: Readonly<Record<Call, (auth: BrowserClient) => Promise<{ readonly status: string }>>> = {
  refresh: (auth) => auth.restore(),
  'switch organizations': (auth) => auth.switchOrganization('org_northwind'),
};

const nouns: Readonly<Record<Call, string>> = {
  refresh: 'a refresh',
  'switch organizations': 'an organization switch',
};

/** The place where the user continues. */
const places = ['in the first tab', 'in a second tab', 'after a reload'] as const;
type Place = (typeof places)[number];

let count = 0;

/** The status of the session after each of these waits. */
async function later(call: Call, failure: Failure, service: Service, place: Place): Promise<string[]> {
  const statuses: string[] = [];
  for (const second of seconds) statuses.push(await statusAt(second, call, failure, service, place));
  return statuses;
}

async function statusAt(
  second: number,
  call: Call,
  failure: Failure,
  { dialect, honorsKeys }: Service,
  place: Place,
): Promise<string> {
  fakeTime();
  const clientId = `client_with_lost_answers_${++count}`;
  const { emulator } = await stage({ seed: company, clientId, dialect, autoApprove: true, clock: undefined });
  let isRefused = false;
  const browser = site({
    now: () => Date.now(),
    fetch: (input, init) => {
      if (isRefused) throw new TypeError('Failed to fetch');
      const request = new Request(input, init);
      if (!honorsKeys) request.headers.delete('idempotency-key');
      return emulator.fetch(request);
    },
  });
  const tab = browser.tab('http://localhost:3000/orders');
  const { baseUrl } = emulator.credentials;
  const open = (environment: BrowserClientOptions['environment'] = tab.environment) => {
    const shared = { clientId, baseUrl, dialect, redirectUri: '/callback', refreshTokenStorage: 'local' } as const;
    const auth = createBrowserClient({ ...shared, environment });
    onTestFinished(() => auth.close());
    return auth;
  };
  let isUnloaded = false;
  const first = open({
    ...tab.environment,
    fetch: (input, init) => (isUnloaded ? new Promise(() => undefined) : tab.environment.fetch(input, init)),
  });
  await first.signIn({ loginHint: 'bruno@northwind.test' });
  while (!tab.url.startsWith('http://localhost:3000/')) {
    const { headers } = await emulator.fetch(tab.url, { redirect: 'manual' });
    tab.url = new URL(headers.get('location')!, tab.url).href;
  }
  expect(await first.finishSignIn()).toMatchObject({ status: 'signed_in' });
  await pass(360_000, async () => undefined);
  if (failure === 'refused') isRefused = true;
  else await emulator.faults.add({ operation, times: 2, ...failure });

  const startedAt = Date.now();
  expect(await pass(0, () => calls[call](first))).toMatchObject({ status: 'retry_later' });
  isRefused = false;
  await emulator.faults.clear();
  isUnloaded = place === 'after a reload';
  await pass(startedAt + second * 1_000 - Date.now(), async () => undefined);
  const next = place === 'in the first tab' ? first : open();
  const { status } = await pass(0, () => next.restore());
  return status;
}

const signedIn = (statuses: readonly string[]) =>
  statuses.map((status) => (status === 'refreshed' ? 'signed_in' : status));

type Row = readonly [place: Place, conditions: string, Service];
const rows = (all: readonly Service[], where: readonly Place[]): Row[] =>
  where.flatMap((place) => all.map((one): Row => [place, conditionsOf(one), one]));

/** Test pages that lost a response, with these kinds of services. */
function pageLosesAnswer(call: Call, name: string, failure: Failure, kinds: readonly Service[]): void {
  const tested = (all: readonly Service[], where: readonly Place[]) => rows(among(kinds, all), where);
  describe(`if the response to ${nouns[call]} is lost (${name}), the browser session`, () => {
    test.each([
      ...tested([workos, spec], places),
      ...tested([workosWithoutKeys], ['in the first tab', 'in a second tab']),
    ])('continues %s %s', async (place, _conditions, service) => {
      expect(await later(call, failure, service, place)).toEqual(signedIn(continues));
    });

    test.each(tested([workosWithoutKeys], ['after a reload']))(
      'can be refreshed %s only in the next 30 seconds %s',
      async (place, _conditions, service) => {
        expect(await later(call, failure, service, place)).toEqual(signedIn(endsAfter30));
      },
    );

    test.each(tested([specWithoutKeys], places))('does not continue %s %s', async (place, _conditions, service) => {
      expect(await later(call, failure, service, place)).toEqual(signedIn(ends));
    });
  });
}

/** The same if the service did not handle the refresh. */
function pageLosesRequest(title: string, failure: Failure, kinds: readonly Service[]): void {
  describe(`${title}, the browser session`, () => {
    test.each(rows(kinds, places))('continues %s %s', async (place, _conditions, service) => {
      expect(await later('refresh', failure, service, place)).toEqual(signedIn(continues));
    });
  });
}

if (triesAll) {
  for (const [name, failure] of Object.entries(lostAnswers)) {
    pageLosesAnswer('refresh', name, failure, servicesFor(name));
    pageLosesAnswer('switch organizations', name, failure, servicesFor(name));
  }
  for (const [name, failure] of Object.entries(lostRequests))
    pageLosesRequest(`if a refresh does not reach the service (${name})`, failure, servicesFor(name));
  for (const [name, failure] of Object.entries(busyAnswers))
    pageLosesRequest(`if the service rejects a refresh with ${name}`, failure, servicesFor(name));
} else {
  // The kind of service where sessions end, depending on the wait and the place.
  pageLosesAnswer('refresh', 'connection reset', lostAnswers['connection reset']!, [workosWithoutKeys]);
  pageLosesRequest('if a refresh does not reach the service (connection refused)', 'refused', [workosWithoutKeys]);
}
