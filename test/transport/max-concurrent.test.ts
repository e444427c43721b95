import type { ServerResponse } from 'node:http';
import { type Sallyport, TimeoutError } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Places, Turn } from '../../src/transport/limits/line.js';
import { Aborted, Deadline } from '../../src/transport/sending/send.js';
import { clientOf, failureOf, say, serve } from '../servers/server.js';
import { wireOrganization } from '../servers/wire.js';
import { hurry } from '../time.js';

// Fake time does not wait for code to load.
beforeAll(async () => {
  const fetch = async () => Response.json(wireOrganization());
  await clientOf(
    { url: 'https://api.acme.test' },
    { limits: 'published', maxConcurrent: 1, fetch },
  ).organizations.getOrganization('org_1');
});

const get = (sallyport: Sallyport, id: string, options: object = {}) =>
  sallyport.organizations.getOrganization(id, options);
const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `org_${i}`);
const answer = { body: wireOrganization() };

/** A server that answers only when told: `answerNext` answers the request that has waited longest. */
async function holdingServer() {
  const held: ServerResponse[] = [];
  const server = await serve((_, response) => held.push(response));
  const until = (count: number) => expect.poll(() => server.requests).toHaveLength(count);
  const ids = () => server.requests.map(({ path }) => path.split('/').at(-1));
  return { url: server.url, held, until, ids, answerNext: () => say(held.shift()!, answer) };
}

describe('in-flight requests', () => {
  test('are limited to maxConcurrent and sent in call order', async () => {
    const server = await holdingServer();
    const sallyport = clientOf(server, { maxConcurrent: 2 });

    const calls = idsOf(6).map((id) => get(sallyport, id));
    const open: number[] = [];
    for (let sent = 2; sent <= 6; sent++) {
      await server.until(sent);
      open.push(server.held.length);
      server.answerNext();
    }
    await server.until(6);
    server.answerNext();
    await Promise.all(calls);

    expect(open).toEqual([2, 2, 2, 2, 2]);
    expect(server.ids()).toEqual(idsOf(6));
  });

  test.each([{}, { maxConcurrent: 0 }])('are unlimited if the options are %j', async (options) => {
    const server = await holdingServer();
    const sallyport = clientOf(server, options);

    const calls = idsOf(6).map((id) => get(sallyport, id));
    await server.until(6);

    expect(server.held).toHaveLength(6);
    for (const _ of calls) server.answerNext();
    await Promise.all(calls);
  });

  test.each([
    ['is an error', { status: 404, body: { code: 'entity_not_found' } }],
    ['is lost', (_: unknown, response: ServerResponse) => response.destroy()],
    ['is a redirect', { status: 302, headers: { location: '/' } }],
  ])('release their concurrency slot if the response %s', async (_, script) => {
    const server = await serve(script, answer);
    const sallyport = clientOf(server, { maxConcurrent: 1, maxRetries: 0 });

    await failureOf(get(sallyport, 'org_0'));

    expect(await get(sallyport, 'org_1')).toMatchObject({ object: 'organization' });
  });

  test('release their concurrency slot after timeoutMs even if fetch ignores its signal', async () => {
    let sent = 0;
    const sallyport = clientOf(
      { url: 'https://api.acme.test' },
      {
        maxConcurrent: 1,
        timeoutMs: 1_000,
        deadlineMs: 10_000,
        fetch: () => {
          sent += 1;
          return sent === 1 ? new Promise(() => {}) : Promise.resolve(Response.json(answer.body));
        },
      },
    );

    const { value, ms } = await hurry(() => get(sallyport, 'org_0'));

    expect(value).toMatchObject({ object: 'organization' });
    expect(sent).toBe(2);
    // The timeout of the first attempt, and at most half a second before the second attempt.
    expect(ms).toBeGreaterThanOrEqual(1_000);
    expect(ms).toBeLessThan(2_000);
  });

  test('end at the deadline of the call even if fetch ignores its signal', async () => {
    let sent = 0;
    const fetch = () => {
      sent += 1;
      return new Promise<never>(() => {});
    };
    const options = { maxConcurrent: 1, timeoutMs: 1_000, deadlineMs: 2_500, fetch };
    const sallyport = clientOf({ url: 'https://api.acme.test' }, options);

    const { value: error, ms } = await hurry(() => failureOf(get(sallyport, 'org_0')));

    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(sent).toBeGreaterThanOrEqual(2);
    expect(ms).toBeLessThanOrEqual(2_501);
  });

  test('that fail release their concurrency slot during the wait before the retry', async () => {
    const server = await serve({ status: 503, headers: { 'retry-after': '0.2' } }, answer);
    const sallyport = clientOf(server, { maxConcurrent: 1 });

    await Promise.all([get(sallyport, 'org_0'), get(sallyport, 'org_1')]);

    expect(server.requests.map(({ path }) => path)).toEqual([
      '/organizations/org_0',
      '/organizations/org_1',
      '/organizations/org_0',
    ]);
  });
});

describe('a call that waits for a concurrency slot', () => {
  test('counts the wait towards its deadline, and states the wait in the error', async () => {
    const server = await holdingServer();
    const sallyport = clientOf(server, { maxConcurrent: 1 });
    const first = get(sallyport, 'org_0');
    await server.until(1);

    const error = await failureOf(get(sallyport, 'org_1', { deadlineMs: 60, timeoutMs: 20 }));

    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', limit: 'deadline', attempts: 0 });
    expect((error as Error).message).toMatch(
      /^organizations\.getOrganization was not sent in time \(GET \/organizations\/:id, attempt 1\)\. It waited \d+ ms for one of its maxConcurrent slots\. Raise maxConcurrent or deadlineMs, or try again later/,
    );
    server.answerNext();
    expect(await first).toMatchObject({ object: 'organization' });
    expect(server.ids()).toEqual(['org_0']);
  });

  test.each([
    ['timeoutMs', { timeoutMs: 60, maxRetries: 0 }, 'It took longer than timeoutMs'],
    ['deadlineMs', { deadlineMs: 800 }, 'It took longer than deadlineMs'],
  ])('and then exceeds %s throws an error that states the wait', async (option, options, why) => {
    const server = await holdingServer();
    const sallyport = clientOf(server, { maxConcurrent: 1 });
    const first = get(sallyport, 'org_0');
    await server.until(1);
    const began = performance.now();
    const second = failureOf(get(sallyport, 'org_1', options));
    await expect.poll(() => performance.now() - began).toBeGreaterThan(20);

    server.answerNext();
    await first;

    const error = (await second) as Error;
    expect(error).toMatchObject({ name: 'TimeoutError', attempts: 1 });
    expect(error.message).toMatch(
      new RegExp(
        `^organizations\\.getOrganization got no answer in time \\(GET /organizations/:id, attempt 1\\)\\. ${why}\\. Before that the call waited [1-9]\\d* ms for one of its maxConcurrent slots\\. Raise ${option}, or try again later\\.$`,
      ),
    );
  });

  test('is sent if it gets the slot before its deadline', async () => {
    const server = await holdingServer();
    const sallyport = clientOf(server, { maxConcurrent: 1 });
    const calls = [get(sallyport, 'org_0'), get(sallyport, 'org_1', { deadlineMs: 20_000 })];

    await server.until(1);
    server.answerNext();
    await server.until(2);
    server.answerNext();

    expect(await Promise.all(calls)).toHaveLength(2);
  });

  test('leaves the queue immediately if it is aborted', async () => {
    const server = await holdingServer();
    const sallyport = clientOf(server, { maxConcurrent: 1 });
    const controller = new AbortController();
    const first = get(sallyport, 'org_0');
    const second = failureOf(get(sallyport, 'org_1', { signal: controller.signal }));
    const third = get(sallyport, 'org_2');
    await server.until(1);

    controller.abort('enough');

    expect(await second).toBe('enough');
    server.answerNext();
    await server.until(2);
    server.answerNext();
    await Promise.all([first, third]);
    expect(server.ids()).toEqual(['org_0', 'org_2']);
  });

  test('passes on the slot if aborted just as the slot becomes free', async () => {
    const slots = new Places(1, () => 0);
    const controller = new AbortController();
    const first = new Turn(0, 10_000);
    slots.enter(first);
    const wait = (signal?: AbortSignal) =>
      new Deadline(10_000, signal, () => 0).run(10_000, (ending) => slots.wait(new Turn(0, 10_000), ending));
    const second = failureOf(wait(controller.signal));
    const third = wait();

    slots.leave(first, true);
    controller.abort();

    expect(await second).toBeInstanceOf(Aborted);
    expect(await third).toBeUndefined();
  });
});

describe('a list with maxConcurrent: 1', () => {
  const worldOf = async (count: number) => {
    const emulator = await createEmulator({ seed: { organizations: idsOf(count).map((name) => ({ name })) } });
    onTestFinished(() => emulator.close());
    return clientOf(
      { url: await emulator.listen(0) },
      { ...emulator.credentials, maxConcurrent: 1, deadlineMs: 10_000 },
    );
  };

  test('allows other calls during the iteration', async () => {
    const { organizations } = await worldOf(5);

    const names: string[] = [];
    for await (const { id } of organizations.listOrganizations({ limit: 1 }))
      names.push((await organizations.getOrganization(id)).name);

    expect(names.sort()).toEqual(idsOf(5));
  });

  test('can be iterated concurrently with other lists', async () => {
    const { organizations } = await worldOf(5);
    for await (const _ of organizations.listOrganizations({ limit: 1 })) break;

    const lists = await Promise.all(
      idsOf(3).map(() => organizations.listOrganizations({ limit: 2 }).toArray({ max: 9 })),
    );

    expect(lists.map(({ length }) => length)).toEqual([5, 5, 5]);
  });
});

test.each([
  ['-1', -1],
  ['1.5', 1.5],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['"2"', '2'],
])('a maxConcurrent option with the value %s is rejected', (_, value) => {
  const make = () => clientOf({ url: 'https://api.acme.test' }, { maxConcurrent: value as number });

  expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', code: 'invalid_option' }));
  expect(make).toThrow('The option maxConcurrent must be a whole number, 0 or more');
});
