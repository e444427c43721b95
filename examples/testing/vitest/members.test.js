import { TestBrowser } from 'sallyport/testing';
import { afterAll, describe, expect, vi } from 'vitest';
import { test, worlds } from './world.js';

afterAll(() => worlds.close());

const invite = (headers, email) =>
  new Request('http://app.test/members', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });

describe.concurrent('the members of an organization', () => {
  test('are shown to a member', async ({ world, members }) => {
    const { headers } = await world.signInAs('user_ada');

    const response = await members(new Request('http://app.test/members', { headers }));

    expect(await response.json()).toEqual(['ada@acme.test', 'bob@acme.test']);
  });

  test('are of this test alone', async ({ world, members, sallyport }) => {
    await sallyport.userManagement.deleteUser('user_bob');
    await world.expectEvent('user.deleted', { id: 'user_bob' });
    const { headers } = await world.signInAs('user_ada');

    const response = await members(new Request('http://app.test/members', { headers }));

    expect(await response.json()).toEqual(['ada@acme.test']);
  });

  test('are not shown to strangers', async ({ world, members }) => {
    let response;
    await world.expectNoRequests(async () => {
      response = await members(new Request('http://app.test/members'));
    });

    expect(response.status).toBe(401);
  });

  test('are invited by mail, and the invitation ends after a week', async ({ world, members, sallyport }) => {
    const { headers } = await world.signInAs('user_ada');

    const response = await members(invite(headers, 'cleo@acme.test'));
    const { id } = await response.json();
    const message = await world.inbox.waitFor({ to: 'cleo@acme.test', kind: 'invitation' });
    await world.clock.advance('8d');

    expect(message.url).toContain(message.token);
    expect((await sallyport.userManagement.getInvitation(id)).state).toBe('expired');
  });

  test('are joined by a person who accepts the invitation', async ({ world, members }) => {
    const { headers } = await world.signInAs('user_ada');
    await members(invite(headers, 'cleo@acme.test'));
    const message = await world.inbox.waitFor({ to: 'cleo@acme.test', kind: 'invitation' });

    // `fetch` does not find the pages of a world, but `world.fetch` does.
    const browser = new TestBrowser({ sites: { [world.url]: world.fetch } });
    await browser.open(message.url);
    await browser.submit({}, 'Accept');

    const response = await members(new Request('http://app.test/members', { headers }));
    expect(await response.json()).toContain('cleo@acme.test');
  });

  test('are not invited without an address', async ({ world, members }) => {
    const { headers } = await world.signInAs('user_ada');

    const response = await members(invite(headers, 'cleo'));

    expect(response.status).toBe(422);
    expect(await world.inbox.list()).toEqual([]);
  });

  test('are not lost where the service is down', async ({ world, members }) => {
    const { headers } = await world.signInAs('user_ada');
    await world.faults.add({ operation: 'users.list', status: 503, times: 1 });

    const response = await members(new Request('http://app.test/members', { headers }));

    expect(await response.json()).toHaveLength(2);
    expect(await world.requests.list({ operation: 'users.list' })).toHaveLength(2);
  });
});

test('the members are not shown after the session has expired', async ({ world, members }) => {
  const { headers, sessionId } = await world.signInAs('user_ada');
  await world.expireSession(sessionId);
  // Access tokens expire after five minutes.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });

  const response = await members(new Request('http://app.test/members', { headers }));
  vi.useRealTimers();

  expect(response.status).toBe(401);
});
