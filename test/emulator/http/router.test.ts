import { describe, expect, test } from 'vitest';
import { RequestHandler } from '../../../src/emulator/chain/request-handler.js';
import { Answer, answerValue, json, redirect, text } from '../../../src/emulator/http/answer.js';
import { RouteTable } from '../../../src/emulator/http/route-table.js';
import { Router } from '../../../src/emulator/http/router.js';
import { parserOf } from '../../../src/emulator/store/parser.js';
import { badRequest, oauthError } from '../../../src/emulator/store/refusal.js';
import { createClock } from '../../../src/emulator/world/clock.js';
import type { CreatedWorlds } from '../../../src/emulator/world/created-worlds.js';
import { createIds } from '../../../src/emulator/world/ids.js';
import { createMemory, type Memory } from '../../../src/emulator/world/memory.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';
import { WorldDirectory } from '../../../src/emulator/world/world-directory.js';
import { array, integer, model, optional, part, ref, string, varies } from '../../../src/service/describe/define.js';
import { data, del, get, list, post, room } from '../../../src/service/describe/operation.js';
import { sender } from '../../servers/send.js';
import { oneBrowser } from '../browser.js';
import { worldOf } from '../world/empty-world.js';

const thing = model('thing', { id: string, size: optional(integer) });
const thingWrite = part({ id: string });
const api = room('things', 'things', {
  list: list('/things', { client: 'list', returns: thing }),
  tail: list('/tail', { client: 'tail', returns: thing, forwardOnly: true }),
  data: data('/data', { client: 'data', returns: thing }),
  array: get('/array', { client: 'array', returns: array(ref(thing)) }),
  nothing: post('/nothing', { client: 'nothing' }),
  write: post('/things', { client: 'write', body: thingWrite, returns: thing }),
  writeAll: post('/things', { client: 'writeAll', body: array(ref(thingWrite)), returns: array(ref(thing)) }),
  sized: post('/sized', { client: 'sized', body: thing, returns: thing }),
  code: post('/grants', {
    client: 'code',
    body: part({ code: string }),
    returns: thing,
    grant: 'authorization_code',
    auth: 'client_secret',
  }),
  totp: post('/grants', {
    client: 'totp',
    body: part({ challenge: varies('totpChallengeField', string) }),
    returns: thing,
    grant: 'mfa-totp',
    auth: 'client_secret',
  }),
  byDomain: get('/choice', { client: 'byDomain', query: part({ domain: string }), returns: thing, auth: 'none' }),
  otherwise: get('/choice', { client: 'otherwise', returns: thing, auth: 'none' }),
});

/** The public service answers this one with 204. */
const domains = room('organizationDomains', 'things', { delete: del('/gone', { client: 'delete' }) });

const newWorld = (options: Parameters<typeof settingsOf>[0]): Memory => {
  const settings = settingsOf(options);
  return createMemory({
    clock: createClock('2026-01-01T00:00:00.000Z'),
    settings,
    idSeed: 1,
    parser: parserOf(settings.dialect),
    url: () => 'http://emulator.localhost',
    onFault: () => undefined,
    onDrop: () => undefined,
  });
};

/** No test in this file creates a world. */
const noWorlds: CreatedWorlds = {
  create: () => Promise.reject(new Error('no world can be created here')),
  list: () => [],
  get: () => expect.unreachable(),
  forget: () => undefined,
};

const serve = (
  routes: (router: Router) => void,
  dialect: 'spec' | 'workos' = 'spec',
  others: Readonly<Record<string, Memory>> = {},
) => {
  const memory = newWorld({ dialect });
  const { clock, settings } = memory;
  const router = new Router();
  routes(router);
  const served: string[] = [];
  const directory = new WorldDirectory([]);
  for (const one of [memory, ...Object.values(others)]) {
    const world = worldOf(one);
    directory.add(world);
    for (const { value } of one.keys.all) directory.reserveKey(world, value);
  }
  const service = new RequestHandler({
    paths: new RouteTable(router),
    directory,
    worlds: noWorlds,
    adminKey: 'ak_tests_alone',
    requestIds: createIds(clock, 2),
    onServed: ({ id }) => served.push(id),
    onFault: () => undefined,
  });
  const fetch = (url: string, init: RequestInit) => service.fetch(new Request(url, { redirect: 'manual', ...init }));
  return { send: sender(fetch, memory.url(), settings.apiKeys[0]!.value), fetch, served };
};

const privateThing = { id: 'a', size: 1, secret: 'whsec_hidden' };
const whole = { before: null, after: null };

describe('a response', () => {
  test('contains only the fields that the operation describes, with their wire names', async () => {
    const { send } = serve((router) => {
      router.list(api.list, () => ({ data: [privateThing], listMetadata: whole, extra: { warnings: [] } }));
      router.list(api.tail, () => ({ data: [privateThing], listMetadata: whole }));
      router.data(api.data, () => [privateThing]);
      router.on(api.array, () => [privateThing]);
      router.on(api.nothing, () => undefined);
    });
    const expected = { object: 'thing', id: 'a', size: 1 };

    expect((await send('GET /things')).body).toEqual({
      object: 'list',
      data: [expected],
      list_metadata: { before: null, after: null },
      warnings: [],
    });
    expect((await send('GET /tail')).body.list_metadata).toEqual({ after: null });
    expect((await send('GET /data')).body).toEqual({ object: 'list', data: [expected] });
    expect((await send('GET /array')).body).toEqual([expected]);
    expect(await send('POST /nothing')).toMatchObject({ status: 200, body: '' });
  });

  test('can contain the cursors in listMetadata instead of list_metadata', async () => {
    const { send } = serve((router) =>
      router.list(api.list, () => ({ data: [], listMetadata: whole }), { cursors: 'listMetadata' }),
    );

    expect((await send('GET /things')).body).toEqual({
      object: 'list',
      data: [],
      listMetadata: { before: null, after: null },
    });
  });

  test('with a custom status and custom headers contains only the fields that the operation describes', async () => {
    const { send } = serve((router) =>
      router.on(api.write, () => answerValue(privateThing, { status: 201, headers: { 'warrant-token': 't' } })),
    );

    const answer = await send('POST /things', { id: 'a' });

    expect(answer.status).toBe(201);
    expect(answer.headers.get('warrant-token')).toBe('t');
    expect(answer.body).toEqual({ object: 'thing', id: 'a', size: 1 });
  });

  test('from a page handler can redirect, contain a file or set cookies', async () => {
    const { fetch } = serve((router) => {
      router.page('GET', '/r', () => redirect('https://app.test/callback'));
      router.page('GET', '/f/:file_name', ({ params }) => text(`a,${params.fileName}`, 'text/csv'));
      router.page(
        'GET',
        '/c',
        () =>
          new Answer(200, null, [
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
          ]),
      );
    });

    const moved = await fetch('http://emulator.localhost/r', {});
    const file = await fetch('http://emulator.localhost/f/b.csv', {});
    const cookies = await fetch('http://emulator.localhost/c', {});

    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'https://app.test/callback']);
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/csv', 'a,b.csv']);
    expect(cookies.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('has the status that the dialect defines', async () => {
    const { send } = serve((router) => router.on(domains.delete, () => undefined), 'workos');

    expect((await send('DELETE /gone')).status).toBe(204);
  });

  test('to an invalid request can have a status other than 422', async () => {
    const { send } = serve((router) =>
      router.on(api.write, ({ body }) => body, {
        invalid: (errors) =>
          badRequest('bad', 'no', { errors: errors.map(({ field }) => ({ instancePath: `/${field}` })) }),
      }),
    );

    const { status, body } = await send('POST /things', {});

    expect([status, body.errors]).toEqual([400, [{ instancePath: '/id' }]]);
  });

  test('with an OAuth error contains error and error_description in addition to code and message', async () => {
    const { send } = serve((router) =>
      router.on(api.code, () => {
        throw oauthError(400, 'invalid_grant', 'The code was used before');
      }),
    );

    expect((await send('POST /grants', { grant_type: 'authorization_code', code: 'x' })).body).toEqual({
      message: 'The code was used before.',
      code: 'invalid_grant',
      error: 'invalid_grant',
      error_description: 'The code was used before',
    });
  });
});

describe('operations with the same method and path', () => {
  test('are distinguished by the shape of the body', async () => {
    const { send, served } = serve((router) => {
      router.on(api.write, ({ body }) => body);
      router.on(api.writeAll, ({ body }) => body);
    });

    await send('POST /things', { id: 'a' });
    await send('POST /things', [{ id: 'a' }, { id: 'b' }]);

    expect(served).toEqual(['things.write', 'things.writeAll']);
    expect((await send('POST /things', [{}])).body.errors).toEqual([
      { field: '0.id', code: 'required', message: 'is required' },
    ]);
  });

  test.each([
    'urn:service:oauth:grant-type:mfa-totp',
    'urn:workos:oauth:grant-type:mfa-totp',
    'urn:x:oauth:grant-type:mfa-totp',
  ])('are distinguished by the grant type with any vendor prefix, as in %s', async (grantType) => {
    const { send, served } = serve((router) => {
      router.on(api.code, ({ body }) => ({ id: body.code }));
      router.on(api.totp, ({ body }) => ({ id: body.challenge }));
    });

    const spec = await send('POST /grants', { grant_type: grantType, authenticationChallengeId: 'c1' });
    const workos = await send('POST /grants', { grant_type: grantType, authentication_challenge_id: 'c2' });

    expect([spec.body.id, workos.body.id]).toEqual(['c1', 'c2']);
    expect(served).toEqual(['things.totp', 'things.totp']);
  });

  test('reject an unknown grant type with an error that names the known grant types', async () => {
    const { send } = serve((router) => {
      router.on(api.code, ({ body }) => ({ id: body.code }));
      router.on(api.totp, ({ body }) => ({ id: body.challenge }));
    });

    const { status, body } = await send('POST /grants', { grant_type: 'implicit' });

    expect([status, body.error]).toEqual([400, 'unsupported_grant_type']);
    expect(body.message).toContain('authorization_code, mfa-totp');
  });

  test('can be distinguished by a query parameter', async () => {
    const { send, served } = serve((router) => {
      router.on(api.otherwise, () => ({ id: 'otherwise' }));
      router.on(api.byDomain, ({ query }) => ({ id: query.domain ?? '' }), {
        when: ({ query }) => query.has('domain'),
      });
    });

    await send('GET /choice?domain=acme.test');
    await send('GET /choice');

    expect(served).toEqual(['things.byDomain', 'things.otherwise']);
  });
});

test('a list route can return the oldest item first by default', async () => {
  const { send } = serve((router) =>
    router.list(
      api.list,
      ({ list: { order, limit } }) => ({ data: [{ id: `${order} ${limit}` }], listMetadata: whole }),
      {
        order: 'asc',
      },
    ),
  );

  expect((await send('GET /things')).body.data[0].id).toBe('asc 10');
  expect((await send('GET /things?order=desc&limit=100')).body.data[0].id).toBe('desc 100');
});

test('a page handler receives the JSON body unchanged', async () => {
  const { send } = serve((router) =>
    router.page('POST', '/hook', ({ body, query }) => json(200, [body, query.get('a')])),
  );

  const sent = { any: 'thing', ...oneBrowser.fields };
  expect((await send('POST /hook?a=1', sent, { authorization: undefined, ...oneBrowser.headers })).body).toEqual([
    sent,
    '1',
  ]);
});

test('a request uses the world of its API key, or the first world if the request has no key', async () => {
  const other = newWorld({ apiKey: 'sk_other', clientId: 'client_other' });
  const { send } = serve(
    (router) => {
      router.on(api.nothing, ({ memory }) => text(JSON.stringify(memory.settings.clientId), 'application/json'));
      router.page('GET', '/hook', ({ memory }) => json(200, memory.settings.clientId));
    },
    'spec',
    { sk_other: other },
  );

  const bodies = await Promise.all([
    send('POST /nothing'),
    send('POST /nothing', undefined, { authorization: 'Bearer sk_other' }),
    send('GET /hook', undefined, { authorization: undefined }),
  ]);

  expect(bodies.map(({ body }) => body)).toEqual([
    'client_sallyport_emulator',
    'client_other',
    'client_sallyport_emulator',
  ]);
  // A request with an unknown key is refused by the first world.
  expect((await send('POST /nothing', undefined, { authorization: 'Bearer sk_unknown' })).status).toBe(401);
});

test('the router rejects a second handler for an operation and a handler that does not match the kind of operation', () => {
  const router = new Router();
  router.on(api.nothing, () => undefined);

  expect(() => router.on(api.nothing, () => undefined)).toThrow('things.nothing is served twice');
  expect(() => router.on(api.list, () => ({ id: 'a' }))).toThrow('things.list is of kind list');
});
