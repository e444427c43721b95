import { expect, test } from 'vitest';
import { failureOf } from '../servers/server.js';
import { fakeTime, pass } from '../time.js';
import { type App, app, failing } from './app.js';
import type { Mishap } from './token-service.js';

const lost: Mishap = (answer) => {
  answer();
  throw new TypeError('Failed to fetch');
};
const busy: Mishap = () => new Response('{}', { status: 429 });

/** Sign Ada in, in fake time. Records how many milliseconds later each renewal starts. */
async function inFakeTime(options: Parameters<App['open']>[0] = {}) {
  fakeTime();
  const all = app(options);
  const { service } = all;
  service.time = Date.now();
  const startedAt = Date.now();
  const starts: number[] = [];
  const fetch = (input: string, init: RequestInit) => {
    if (String(init.body).includes('refresh_token')) starts.push(Date.now() - startedAt);
    return service.fetch(input, init);
  };
  const environment = { now: () => Date.now(), fetch };
  const tab = await all.signedIn({ environment });
  const other = all.open({ environment });
  const renew = () => failureOf(tab.auth.getAccessToken({ forceRefresh: true }));
  return { ...all, tab, other, starts, renew };
}

test('a renewal without a response is retried after 0.5, 2.5 and 10.5 seconds', async () => {
  const { service, starts, renew } = await inFakeTime();
  service.mishaps.push(lost, lost, lost, lost);

  expect(await pass(60_000, renew)).toMatchObject({ code: 'retry_later', reason: 'network_error' });

  expect(starts).toEqual([0, 500, 2_500, 10_500]);
});

test("calls between a renewal's retries do not reduce the number of retries", async () => {
  const { service, starts, renew } = await inFakeTime();
  service.mishaps.push(lost, lost, lost, lost, lost);
  await pass(0, renew);

  for (let call = 0; call < 3; call++) expect(await pass(0, renew)).toMatchObject({ code: 'retry_later' });
  await pass(60_000, async () => undefined);

  expect(starts).toHaveLength(6);
  expect(starts.at(-1)).toBe(2_500);
  expect(service.rotations).toBe(1);
});

test('a retried renewal stores the new refresh token and updates all tabs', async () => {
  const { service, tab, other, site, renew } = await inFakeTime({ refreshTokenStorage: 'local' });
  await pass(0, () => other.auth.restore());
  service.mishaps.push(lost, lost);
  await pass(0, renew);
  const before = tab.auth.session;

  await pass(3_000, async () => undefined);

  expect(tab.auth.session).not.toBe(before);
  expect(other.auth.session?.claims.jti).toBe(tab.auth.session?.claims.jti);
  const [stored] = site.localStorage.texts.values();
  expect(JSON.parse(stored!)).toMatchObject({ refreshToken: 'refresh_4', renewals: 2 });
});

test('a rate-limited renewal is not retried in the background', async () => {
  const { service, starts, renew } = await inFakeTime();
  service.mishaps.push(busy, busy);

  expect(await pass(60_000, renew)).toMatchObject({ code: 'retry_later', reason: 'rate_limited' });

  expect(starts).toEqual([0, 500]);
});

test('a successful renewal in one tab ends the retries of a second tab', async () => {
  const { service, starts, other, renew } = await inFakeTime({ refreshTokenStorage: 'local' });
  service.mishaps.push(lost, lost);
  await pass(0, renew);
  await pass(0, () => other.auth.getAccessToken());

  await pass(60_000, async () => undefined);

  expect(starts).toHaveLength(3);
  expect(service.rotations).toBe(1);
});

test('if the response to an organization switch is lost, the next renewal returns tokens for the new organization', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();

  await failing(service, lost, () => auth.switchOrganization('org_42'));
  await auth.getAccessToken({ forceRefresh: true });

  expect(auth.session?.organizationId).toBe('org_42');
  expect(service.rotations).toBe(1);
});

test('an organization switch succeeds after the response to a renewal is lost', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();

  await failing(service, lost, () => failureOf(auth.getAccessToken({ forceRefresh: true })));

  expect(await auth.switchOrganization('org_42')).toMatchObject({
    status: 'switched',
    session: { organizationId: 'org_42' },
  });
  expect(service.rotations).toBe(2);
});

test('a rejected organization switch can be retried', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();
  service.closed.add('org_42');
  expect(await auth.switchOrganization('org_42')).toMatchObject({ status: 'refused', reason: 'sso_required' });
  service.closed.delete('org_42');

  expect(await auth.switchOrganization('org_42')).toMatchObject({ status: 'switched' });
});
