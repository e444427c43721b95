import type { Hooks, Logger, LogLevel, Organization, PagePromise } from 'sallyport';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf, failureOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { settle } from '../time.js';

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

type Told = [what: string, record: Record<string, unknown>];

/** Hooks that collect their records. */
function recording(): { told: Told[]; hooks: Hooks } {
  const told: Told[] = [];
  const as = (what: string) => (record: object) => void told.push([what, record as Record<string, unknown>]);
  return {
    told,
    hooks: {
      onRequest: as('request'),
      onRetry: as('retry'),
      onResponse: as('response'),
      onError: as('error'),
      onCancel: as('cancel'),
    },
  };
}

const operation = {
  callId: expect.stringMatching(/^[a-z\d]+-\d+$/),
  operation: 'organizations.get',
  client: 'organizations.getOrganization',
  method: 'GET',
  route: '/organizations/:id',
};
const ms = expect.any(Number);
/** The records of a call that fails, is retried, and fails finally. */
const story: Told[] = [
  ['request', { ...operation, attempt: 1 }],
  ['response', { ...operation, attempt: 1, status: 503, requestId: 'req_42', durationMs: ms }],
  ['retry', { ...operation, attempt: 1, waitMs: 0, status: 503, because: 'status' }],
  ['request', { ...operation, attempt: 2 }],
  ['response', { ...operation, attempt: 2, status: 404, requestId: 'req_42', durationMs: ms }],
  ['error', { ...operation, attempt: 2, code: 'not_found', status: 404, requestId: 'req_42', durationMs: ms }],
];
const failing = () => serve({ status: 503, body: {} }, { status: 404, body: {} });

describe('hooks', () => {
  test('receive requests, responses, retries and errors in order', async () => {
    const { told, hooks } = recording();

    await failureOf(clientOf(await failing(), { hooks }).organizations.getOrganization('org_01'));

    expect(told).toEqual(story);
  });

  test('receive the request and the response of a successful call', async () => {
    const { told, hooks } = recording();
    const server = await serve({ body: wireOrganization() });

    await clientOf(server, { hooks }).organizations.getOrganization('org_01');

    expect(told.map(([what]) => what)).toEqual(['request', 'response']);
  });

  test.each([
    ['network', (_: unknown, response: { destroy(): void }) => response.destroy(), {}],
    ['timeout', () => {}, { timeoutMs: 100 }],
  ])('receive "%s" as the reason for a retry', async (because, script, options) => {
    const { told, hooks } = recording();
    const server = await serve(script, { body: wireOrganization() });

    await clientOf(server, { hooks }).organizations.getOrganization('org_01', options);

    expect(told.map(([what]) => what)).toEqual(['request', 'retry', 'request', 'response']);
    expect(told[1]?.[1]).toEqual({ ...operation, attempt: 1, waitMs: 0, status: undefined, because });
  });

  test('are notified of an abort', async () => {
    const { told, hooks } = recording();
    const controller = new AbortController();
    const server = await serve(() => controller.abort());

    await failureOf(clientOf(server, { hooks }).organizations.getOrganization('o', { signal: controller.signal }));

    expect(told.at(-1)).toEqual([
      'error',
      { ...operation, attempt: 1, code: 'aborted', status: undefined, requestId: undefined, durationMs: ms },
    ]);
  });

  test('are not called if the client rejects an argument', async () => {
    const { told, hooks } = recording();

    await failureOf(clientOf(await failing(), { hooks }).organizations.getOrganization(''));

    expect(told).toEqual([]);
  });

  test('receive frozen records that stay small even for a large response', async () => {
    const { told, hooks } = recording();
    const many = Array.from({ length: 100 }, (_, i) => wireOrganization({ id: `org_${i}` }));
    const server = await serve({ body: wirePage(many) });

    await clientOf(server, { hooks }).organizations.listOrganizations({ search: 'x'.repeat(500) });

    for (const [, record] of told) {
      expect(Object.isFrozen(record)).toBe(true);
      expect(Object.values(record).every((value) => typeof value !== 'object')).toBe(true);
      expect(JSON.stringify(record).length).toBeLessThan(300);
    }
  });

  test('do not affect the call if they throw or reject', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const hooks: Hooks = {
      onRequest: () => {
        throw new Error('thrown');
      },
      onResponse: async () => {
        throw new Error('rejected');
      },
      // A promise of another implementation.
      onRetry: () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error('odd')) }) as never,
    };
    const server = await serve({ status: 503 }, { body: wireOrganization() });

    expect(await clientOf(server, { hooks }).organizations.getOrganization('org_01')).toMatchObject({ name: 'Acme' });
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('ending a list loop early', () => {
  const page = (n: number) => ({ body: wirePage([wireOrganization({ id: `org_${n}` })], { after: `org_${n}` }) });
  const ways: readonly [string, (list: PagePromise<Organization>) => Promise<unknown>][] = [
    [
      'by break',
      async (list) => {
        for await (const { id } of list) if (id === 'org_2') break;
      },
    ],
    [
      'by an error',
      async (list) => {
        const work = async () => {
          for await (const { id } of list) if (id === 'org_2') throw new Error('mine');
        };
        await failureOf(work());
      },
    ],
    ['by toArray() with a max', (list) => list.toArray({ max: 2 })],
  ];

  test.each(ways)('%s is not reported to hooks as a failed request', async (_, walk) => {
    const { told, hooks } = recording();
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const server = await serve(page(1), page(2), () => {});
    const logger = { debug: () => {}, info: log, warn: log, error: log };
    const sallyport = clientOf(server, { hooks, logger });

    await walk(sallyport.organizations.listOrganizations({ limit: 1 }));
    await settle();

    const requests = told.filter(([what]) => what === 'request').map(([, record]) => record);
    const ends = told.filter(([what]) => what === 'cancel').map(([, record]) => record);
    expect(told.map(([what]) => what)).not.toContain('error');
    expect(requests).toHaveLength(told.filter(([what]) => what === 'response').length + ends.length);
    for (const end of ends) expect(requests).toContainEqual(end);
    expect(lines).toEqual([]);
  });

  test('by break is reported to hooks as a canceled prefetch request', async () => {
    const { told, hooks } = recording();
    const server = await serve(page(1), page(2), () => {});

    for await (const { id } of clientOf(server, { hooks }).organizations.listOrganizations({ limit: 1 }))
      if (id === 'org_2') {
        await expect.poll(() => server.requests).toHaveLength(3);
        break;
      }
    await settle();

    expect(told.map(([what]) => what)).toEqual(['request', 'response', 'request', 'response', 'request', 'cancel']);
  });

  test('by an abort is reported to hooks as an error of the prefetch request', async () => {
    const { told, hooks } = recording();
    const controller = new AbortController();
    const server = await serve(page(1), page(2), () => controller.abort());
    const list = clientOf(server, { hooks }).organizations.listOrganizations({}, { signal: controller.signal });

    await failureOf(list.toArray({ max: 9 }));
    await settle();

    expect(told.at(-1)).toMatchObject(['error', { code: 'aborted' }]);
  });
});

describe('the callId', () => {
  test('is shared by all attempts of a call in hooks and log lines', async () => {
    const { told, hooks } = recording();
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const logger = { level: 'debug', to: { debug: write, info: write, warn: write, error: write } } as const;

    await failureOf(clientOf(await failing(), { hooks, logger }).organizations.getOrganization('org_01'));

    const callId = told[0]?.[1].callId;
    expect(callId).toMatch(/^[a-z\d]+-\d+$/);
    expect(told.map(([, record]) => record.callId)).toEqual([callId, callId, callId, callId, callId, callId]);
    expect(lines.map((line) => line.includes(`, call ${callId}`))).toEqual([true, true, true, true, true, true]);
  });

  test('differs between concurrent calls, between the pages of a list and between clients', async () => {
    const { told, hooks } = recording();
    const first = wirePage([wireOrganization()], { before: null, after: 'org_01' });
    const server = await serve({ body: wireOrganization() });
    const [one, other] = [clientOf(server, { hooks }), clientOf(server, { hooks })];

    await Promise.all([one, one, other].map(({ organizations }) => organizations.getOrganization('org_01')));
    server.answer({ body: first }, { body: wirePage([]) });
    await one.organizations.listOrganizations().toArray({ max: 10 });

    const requests = told.filter(([what]) => what === 'request');
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(([, { callId }]) => callId)).size).toBe(5);
  });
});

describe('the logger', () => {
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  const logger = () => {
    const lines: string[] = [];
    const at = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
    return { lines, logger: Object.fromEntries(levels.map((level) => [level, at(level)])) as unknown as Logger };
  };
  /** Lines that the console gets. */
  const captureConsole = () => {
    const lines: string[] = [];
    for (const level of levels)
      vi.spyOn(console, level).mockImplementation((line) => void lines.push(`${level}: ${line}`));
    return lines;
  };
  const withoutTimes = (lines: readonly string[]) =>
    lines.map((line) => line.replace(/\d+ ms/g, 'N ms').replace(/call [a-z\d]+-\d+/, 'call ID'));
  const everything = [
    'debug: sallyport request GET /organizations/:id attempt 1, call ID',
    'debug: sallyport response GET /organizations/:id attempt 1, call ID, status 503, N ms, req_42',
    'info: sallyport retry GET /organizations/:id attempt 1, call ID, status 503, because of status, again in N ms',
    'debug: sallyport request GET /organizations/:id attempt 2, call ID',
    'debug: sallyport response GET /organizations/:id attempt 2, call ID, status 404, N ms, req_42',
    'warn: sallyport error GET /organizations/:id attempt 2, call ID, status 404, not_found, N ms, req_42',
  ];

  test('receives lines about retries and errors by default, but not about each request', async () => {
    const { lines, logger: own } = logger();

    await failureOf(clientOf(await failing(), { logger: own }).organizations.getOrganization('org_01'));

    expect(withoutTimes(lines)).toEqual([everything[2], everything[5]]);
  });

  test.each<[string, LogLevel | undefined, number[]]>([
    ['without a level receives lines about retries and errors', undefined, [2, 5]],
    ['with the level debug receives all lines', 'debug', [0, 1, 2, 3, 4, 5]],
    ['with the level warn receives only warnings', 'warn', [5]],
    ['with the level off receives no lines', 'off', []],
  ])('%s', async (_level, level, expected) => {
    const { lines, logger: to } = logger();

    await failureOf(clientOf(await failing(), { logger: { level, to } }).organizations.getOrganization('org_01'));

    expect(withoutTimes(lines)).toEqual(expected.map((i) => everything[i]));
  });

  test('keeps its configured level even if SALLYPORT_LOG is set', async () => {
    vi.stubEnv('SALLYPORT_LOG', 'warn');
    const { lines, logger: to } = logger();

    await failureOf(
      clientOf(await failing(), { logger: { level: 'info', to } }).organizations.getOrganization('org_01'),
    );

    expect(withoutTimes(lines)).toEqual([everything[2], everything[5]]);
  });

  test.each<[LogLevel, number[]]>([
    ['debug', [0, 1, 2, 3, 4, 5]],
    ['info', [2, 5]],
    ['warn', [5]],
    ['error', []],
    ['off', []],
  ])('applies the level %s to the console if the logger option is only a level', async (level, expected) => {
    const lines = captureConsole();

    await failureOf(clientOf(await failing(), { logger: level }).organizations.getOrganization('org_01'));

    expect(withoutTimes(lines)).toEqual(expected.map((i) => everything[i]));
  });

  test('takes its level from SALLYPORT_LOG, with or without a logger option', async () => {
    vi.stubEnv('SALLYPORT_LOG', 'warn');
    const onConsole = captureConsole();
    const { lines, logger: own } = logger();

    await failureOf(clientOf(await failing()).organizations.getOrganization('org_01'));
    await failureOf(clientOf(await failing(), { logger: own }).organizations.getOrganization('org_01'));

    expect(withoutTimes(onConsole)).toEqual([everything[5]]);
    expect(withoutTimes(lines)).toEqual([everything[5]]);
  });

  test('prints nothing to the console by default', async () => {
    const lines = captureConsole();

    await failureOf(clientOf(await failing()).organizations.getOrganization('org_01'));

    expect(lines).toEqual([]);
  });

  test('does not warn about an abort by the caller', async () => {
    const lines = captureConsole();
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const { organizations } = clientOf(server, { logger: 'info' });

    await failureOf(organizations.getOrganization('org_01', { signal: controller.signal }));

    expect(lines).toEqual([]);
  });

  test('does not affect the call if it throws', async () => {
    const broken = {
      info: () => {
        throw new Error('disk full');
      },
    } as unknown as Logger;
    const server = await serve({ status: 503 }, { body: wireOrganization() });

    expect(await clientOf(server, { logger: broken }).organizations.getOrganization('org_01')).toMatchObject({
      id: 'org_01',
    });
  });
});
