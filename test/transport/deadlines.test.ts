import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sallyport, TimeoutError } from 'sallyport';
import type { Fault } from 'sallyport/emulator';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Aborted, Deadline, OutOfTime } from '../../src/transport/sending/send.js';
import { faulty } from '../servers/faulty.js';
import { clientOf, clientWith, failureOf, type Script, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { hurry, settle } from '../time.js';
import { runAlone } from './process.js';

const silent: Script = () => {};
/** Send the head of a response and then nothing. */
const slowBody: Script = (_, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"object":');
};
const get = (sallyport: Sallyport, options: object) => sallyport.organizations.getOrganization('org_01', options);

/** Wait for a rejection while fake time passes, and measure that time. */
async function timed(call: () => PromiseLike<unknown>): Promise<{ error: unknown; ms: number }> {
  const { value: error, ms } = await hurry(() => failureOf(call()));
  return { error, ms };
}

// The shortest backoff, because these tests wait for the service.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

// The first request of a process takes longer, because fetch and ky are loaded.
beforeAll(async () => {
  const server = createServer((_, response) => response.end(JSON.stringify(wireOrganization())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with a port.
  await get(clientOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }), {});
  server.closeAllConnections();
  server.close();
});

describe("a call's deadline", () => {
  test.each([
    ['the response headers', silent],
    ['the rest of the response body', slowBody],
  ])('applies while the client waits for %s', async (_, script) => {
    const server = await serve(script);

    const { error, ms } = await timed(() => get(clientOf(server), { deadlineMs: 250 }));

    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', limit: 'deadline', attempts: 1, route: '/organizations/:id' });
    expect((error as Error).message).toContain('Raise deadlineMs');
    expect(ms).toBeGreaterThan(220);
    expect(ms).toBeLessThan(1_500);
    expect(await server.requests[0]?.cut).toBe(true);
  });

  test('covers all attempts and the waits between them', async () => {
    const { client } = await faulty(
      { never: true, times: 1 },
      { status: 503, retryAfterMs: 0, times: 1 },
      { never: true },
    );

    const { error, ms } = await timed(() => get(client(), { deadlineMs: 1_000, timeoutMs: 700, maxRetries: 9 }));

    expect(error).toMatchObject({ code: 'timeout', limit: 'deadline', attempts: 3 });
    expect(ms).toBeGreaterThan(970);
    expect(ms).toBeLessThan(3_000);
  });

  test("defaults to the client's deadline", async () => {
    const { client } = await faulty({ never: true });

    const { error } = await timed(() => get(client({ deadlineMs: 40 }), {}));

    expect(error).toMatchObject({ limit: 'deadline' });
  });

  test('results in a SallyportError if it expires just as the wait before a retry ends', async () => {
    for (let i = 0; i < 10; i++) {
      const began = performance.now();
      // Exactly as long as there is time: either of the two timers may fire first.
      const fetch = async () => {
        const seconds = Math.floor(began + 30 - performance.now()) / 1_000;
        return new Response('{}', { status: 503, headers: { 'retry-after': String(seconds) } });
      };

      const error = await failureOf(get(clientWith(fetch), { deadlineMs: 30 }));

      expect(['ServerError', 'TimeoutError']).toContain((error as Error).name);
    }
  });

  test.each([Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32])(
    'of %s ms does not expire immediately',
    async (ms) => {
      const { client } = await faulty({ delay: '30ms' });

      const organization = await get(client(), { deadlineMs: ms, timeoutMs: ms });

      expect(organization).toMatchObject({ name: 'Acme' });
    },
  );
});

describe("an attempt's time limit", () => {
  test('triggers a retry if it expires', async () => {
    const server = await serve(silent, slowBody, { body: wireOrganization() });

    const { organizations } = clientOf(server);
    const { value } = await hurry(() => organizations.getOrganization('org_01', { timeoutMs: 250 }).withResponse());
    const { response } = value;

    expect(response.attempts).toBe(3);
    expect(await server.requests[0]?.cut).toBe(true);
    expect(await server.requests[1]?.cut).toBe(true);
  });

  test('is named in the TimeoutError that is thrown after the last attempt', async () => {
    const { client } = await faulty({ never: true });

    const { error } = await timed(() => get(client(), { timeoutMs: 40, maxRetries: 0 }));

    expect(error).toMatchObject({ code: 'timeout', limit: 'attempt', attempts: 1 });
    expect((error as Error).message).toContain('Raise timeoutMs');
  });

  test('does not cover the response body if the operation has no result', async () => {
    const server = await serve(slowBody);

    const { value } = await hurry(() =>
      clientOf(server).organizations.deleteOrganization('org_01', { timeoutMs: 5_000 }),
    );

    expect(value).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });
});

/** A signal as the package abort-controller and React Native create it. */
class SignalWithoutReason extends EventTarget {
  aborted = false;

  abort(): void {
    this.aborted = true;
    this.dispatchEvent(new Event('abort'));
  }
}

const itemsOf = async (list: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of list);
};

describe('an abort by the caller', () => {
  const reason = { why: 'the user went away' };

  /** Abort a call once `when` resolves. Returns the reason of its rejection, and how long that took. */
  async function abortOnce(
    call: (signal: AbortSignal) => PromiseLike<unknown>,
    when: () => boolean | Promise<unknown>,
  ) {
    const controller = new AbortController();
    const failure = failureOf(call(controller.signal));
    await expect.poll(when, { interval: 2 }).toBe(true);
    const began = performance.now();
    controller.abort(reason);
    return { error: await failure, ms: performance.now() - began };
  }

  test("before the call prevents the request, and rejects the call with the caller's reason", async () => {
    const { client, answered } = await faulty();

    const error = await failureOf(get(client(), { signal: AbortSignal.abort(reason) }));

    expect(error).toBe(reason);
    expect(answered()).toBe(0);
  });

  test.each([
    ['before the response headers arrive', silent],
    ['while the response body arrives', slowBody],
  ])('%s rejects the call immediately and closes the connection', async (_, script) => {
    const server = await serve(script);

    const { error, ms } = await abortOnce(
      (signal) => get(clientOf(server), { signal }),
      () => server.requests.length === 1,
    );

    expect(error).toBe(reason);
    expect(ms).toBeLessThan(5_000);
    expect(await server.requests[0]?.cut).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  test('during the wait before a retry rejects the call immediately, and prevents the retry', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await serve({ status: 503, headers: { 'retry-after': '20' } });
    let waits = 0;

    const { error, ms } = await abortOnce(
      (signal) => get(clientOf(server, { hooks: { onRetry: () => waits++ } }), { signal }),
      () => waits === 1,
    );
    vi.advanceTimersByTime(21_000);
    await settle();

    expect(error).toBe(reason);
    expect(ms).toBeLessThan(5_000);
    expect(server.requests).toHaveLength(1);
  });

  test('while the response body arrives rejects the call even if the operation has no result', async () => {
    const server = await serve(slowBody);

    const { error } = await abortOnce(
      (signal) => clientOf(server).organizations.deleteOrganization('org_01', { signal }),
      () => server.requests.length === 1,
    );

    expect(error).toBe(reason);
  });

  test.each([undefined, null, 'gone', 0])(
    "with the reason %j rejects the call with the signal's reason",
    async (given) => {
      const controller = new AbortController();
      controller.abort(given);
      const { client, answered } = await faulty();

      expect(await failureOf(get(client(), { signal: controller.signal }))).toBe(controller.signal.reason);
      expect(answered()).toBe(0);
    },
  );

  test.each<[string, (client: Sallyport, signal: AbortSignal) => PromiseLike<unknown>]>([
    ['a call', (client, signal) => get(client, { signal })],
    ['an awaited page', (client, signal) => client.organizations.listOrganizations({}, { signal })],
    ['a list iteration', (client, signal) => itemsOf(client.organizations.listOrganizations({}, { signal }))],
  ])('rejects %s with an AbortError if the signal has no reason', async (_, start) => {
    const { client } = await faulty({ never: true });
    const before = new SignalWithoutReason();
    before.abort();
    const during = new SignalWithoutReason();

    const errors = Promise.all([before, during].map((signal) => failureOf(start(client(), signal as never))));
    await settle();
    during.abort();

    expect((await errors).map((error) => String(error))).toEqual([
      'AbortError: The operation was aborted',
      'AbortError: The operation was aborted',
    ]);
  });

  test("through AbortSignal.timeout() rejects the call with the signal's reason", async () => {
    const { client } = await faulty({ never: true });
    const signal = AbortSignal.timeout(30);

    expect(await failureOf(get(client(), { signal }))).toBe(signal.reason);
  });

  test('rejects the call even if fetch ignores the signal, and cancels a late response', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    let answer: (response: Response) => void = () => {};
    const fetch = vi.fn(
      () =>
        new Promise<Response>((resolve) => {
          answer = resolve;
        }),
    );

    const { error, ms } = await abortOnce(
      (signal) => get(clientWith(fetch), { signal }),
      () => fetch.mock.calls.length === 1,
    );
    answer(new Response(body));
    await expect.poll(() => cancelled).toBe(true);

    expect(error).toBe(reason);
    expect(ms).toBeLessThan(5_000);
  });

  test('rejects the call even if the response body ignores the signal, and cancels the body', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const fetch = vi.fn(async () => new Response(body));

    const { error } = await abortOnce(
      (signal) => get(clientWith(fetch), { signal }),
      () => fetch.mock.calls.length === 1,
    );

    expect(error).toBe(reason);
    await expect.poll(() => cancelled).toBe(true);
  });
});

describe('a call', () => {
  /** A signal that counts its listeners. */
  function countingSignal() {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    let most = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      most = Math.max(most, listeners.add(args[1]).size);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners.delete(args[1]);
      remove(...args);
    };
    return { signal, counts: () => ({ listeners: listeners.size, most }) };
  }

  test.each<[string, Fault[], object]>([
    ['a result', [], {}],
    ['an error response', [{ status: 404 }], {}],
    ['retries', [{ status: 503, retryAfterMs: 0, times: 1 }], {}],
    ['an attempt that timed out', [{ never: true, times: 1 }], { timeoutMs: 30 }],
    ['a call that timed out', [{ never: true }], { deadlineMs: 30 }],
    ['a lost connection', [{ connection: 'reset', times: 1 }], {}],
    ['an interrupted body', [{ connection: 'cut', times: 1 }], {}],
  ])("leaves no listener on the caller's signal after %s", async (_, faults, options) => {
    const { client } = await faulty(...faults);
    const { signal, counts } = countingSignal();

    await hurry(() => Promise.resolve(get(client(), { signal, ...options })).catch(() => {}));

    expect(counts()).toEqual({ listeners: 0, most: 1 });
  });

  test('leaves no timer that keeps the process running', async () => {
    const { emulator } = await faulty(
      { delay: 1, times: 1 },
      { status: 404, times: 1 },
      { delay: 1, times: 1 },
      { never: true },
    );
    const { apiKey, baseUrl } = emulator.credentials;
    const source = `
      import { Sallyport } from 'sallyport';
      const sallyport = new Sallyport({ apiKey: '${apiKey}', baseUrl: '${baseUrl}' });
      const get = (options) => sallyport.organizations.getOrganization('org_01', options).catch(() => {});
      await get();
      await get();
      const { signal } = new AbortController();
      await get({ signal, timeoutMs: 600_000, deadlineMs: 600_000 });
      const controller = new AbortController();
      setImmediate(() => controller.abort());
      await get({ signal: controller.signal, deadlineMs: 600_000 });
      const ended = performance.now();
      process.on('exit', () => console.log(Math.round(performance.now() - ended)));
    `;

    const { stdout, stderr, code } = await runAlone(source);

    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(Number(stdout)).toBeLessThan(2_000);
  });
});

describe('a Deadline', () => {
  const clock =
    (...times: number[]) =>
    () =>
      times.length > 1 ? times.shift()! : times[0]!;

  test('prevents new steps after it has expired', async () => {
    const step = vi.fn(async () => 'done');

    expect(await failureOf(new Deadline(10, undefined, clock(0, 10)).run(5, step))).toBeInstanceOf(OutOfTime);
    expect(step).not.toHaveBeenCalled();
    expect(await new Deadline(10, undefined, clock(0, 9)).run(5, step)).toBe('done');
  });

  test('prevents new steps after an abort', async () => {
    const step = vi.fn(async () => 'done');
    const error = await failureOf(new Deadline(10, AbortSignal.abort('why'), clock(0)).run(5, step));

    expect(error).toBeInstanceOf(Aborted);
    expect((error as Aborted).reason).toBe('why');
    expect(step).not.toHaveBeenCalled();
  });

  test('that expires during a wait ends the wait', async () => {
    const { ms } = await hurry(() => new Deadline(20, undefined, () => performance.now()).wait(60_000));

    expect(ms).toBeCloseTo(20, -1);
  });
});

describe('an abort signal shared by concurrent calls', () => {
  test('causes no listener warning, and has no listeners after the calls', async () => {
    const server = await serve({ body: wirePage([wireOrganization()]) });
    const source = `
      import { getEventListeners } from 'node:events';
      import { Sallyport } from 'sallyport';
      const sallyport = new Sallyport({ apiKey: 'sk_1', baseUrl: process.argv[2] });
      const { signal } = new AbortController();
      const list = () => sallyport.organizations.listOrganizations({}, { signal });
      const during = [];
      const calls = Array.from({ length: 40 }, () => list().then(() => during.push(getEventListeners(signal, 'abort').length)));
      await Promise.all([...calls, ...Array.from({ length: 20 }, () => list().toArray({ max: 500 }))]);
      console.log(Math.max(...during), getEventListeners(signal, 'abort').length);
    `;

    const { stdout, stderr } = await runAlone(source, [server.url]);

    expect(stderr).toBe('');
    expect(stdout).toBe('1 0\n');
  });

  test('aborts all running calls, and prevents later calls', async () => {
    const server = await serve(() => {});
    const controller = new AbortController();
    const get = () => clientOf(server).organizations.getOrganization('org_01', { signal: controller.signal });
    const calls = Array.from({ length: 15 }, () => failureOf(get()));
    while (server.requests.length < 15) await new Promise(setImmediate);

    controller.abort('enough');

    expect(await Promise.all(calls)).toEqual(Array(15).fill('enough'));
    expect(await failureOf(get())).toBe('enough');
    expect(server.requests).toHaveLength(15);
  });
});
