import { Readable } from 'node:stream';
import { ConfigurationError, type Sallyport, UnexpectedResponseError } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { clientWith, failureOf } from '../servers/server.js';
import { wireOrganization } from '../servers/wire.js';

// Results of functions that replace `fetch`, in other libraries and in tests.

const get = (sallyport: Sallyport) => sallyport.organizations.getOrganization('org_01');
/** A client whose `fetch` returns this, even if TypeScript would not accept it. */
const clientGiven = (answer: unknown, options: object = {}) =>
  clientWith((async () => answer) as typeof fetch, options);

const headers = new Headers({ 'content-type': 'application/json' });
const text = JSON.stringify(wireOrganization({ name: 'Grüße' }));
const answer = (more: object) => ({ ok: true, status: 200, headers, ...more });
const limit = { maxResponseBytes: 1_000 };

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.from('ü'.repeat(100));
}

describe('a response without a web stream', () => {
  test.each([
    ['its body is a Node stream', answer({ body: Readable.from([text]), text: async () => text })],
    ['the body property is missing', answer({ text: async () => text })],
  ])('is read with text() if %s', async (_, response) => {
    expect(await get(clientGiven(response))).toMatchObject({ name: 'Grüße' });
  });

  test.each([
    [
      'declared length',
      { headers: new Headers({ 'content-length': '1001' }), text: () => Promise.reject(new Error()) },
    ],
    ['length in characters', { text: async () => 'x'.repeat(1_001) }],
    ['length in bytes', { text: async () => 'ü'.repeat(501) }],
  ])('is rejected if its %s exceeds the limit', async (_, more) => {
    const failure = await failureOf(get(clientGiven(answer(more), limit)));

    expect(failure).toBeInstanceOf(UnexpectedResponseError);
    expect((failure as Error).message).toContain('larger than maxResponseBytes, 1000 bytes');
  });

  test.each([
    ['the size limit is exceeded', 200, limit],
    ['it is a redirect', 302, {}],
  ])('is not read to its end if %s', async (_, status, options) => {
    const body = Readable.from(endless());
    const text = () => Promise.reject(new Error('it would never end'));

    const failure = await failureOf(get(clientGiven(answer({ status, body, text }), options)));

    expect(failure).toBeInstanceOf(UnexpectedResponseError);
    expect(body.destroyed).toBe(true);
  });

  test('is accepted if its length in bytes equals the limit', async () => {
    const body = text.padEnd(998, ' ');

    expect(await get(clientGiven(answer({ text: async () => body }), limit))).toMatchObject({ id: 'org_01' });
  });

  test('is rejected if it is a redirect', async () => {
    const redirect = answer({ status: 302, body: Readable.from([text]), text: async () => text });

    expect(await failureOf(get(clientGiven(redirect)))).toMatchObject({ code: 'unexpected_response', status: 302 });
  });

  test('is parsed as a service error if its status code is 404', async () => {
    const refusal = answer({ ok: false, status: 404, text: async () => '{"code":"entity_not_found"}' });

    expect(await failureOf(get(clientGiven(refusal)))).toMatchObject({
      code: 'not_found',
      serviceCode: 'entity_not_found',
    });
  });
});

test.each([
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a string', '{}', 'string'],
  ['parsed JSON', wireOrganization(), 'object'],
  ['a response without headers', { ok: true, status: 200, text: async () => text }, 'object'],
  ['a response with json() but without text()', answer({ json: async () => wireOrganization() }), 'object'],
])('a fetch function that returns %s causes a ConfigurationError, and is not called again', async (_, given, gave) => {
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    return given as unknown as Response;
  };

  const failure = await failureOf(get(clientWith(fetch)));

  expect(failure).toBeInstanceOf(ConfigurationError);
  expect(failure).toMatchObject({ code: 'invalid_option' });
  expect((failure as Error).message).toContain(
    `fetch must return a Response with status, headers and text(), but returned ${gave}.`,
  );
  expect(calls).toBe(1);
});

describe('a fetch function is called', () => {
  interface Given {
    readonly input: unknown;
    readonly init: RequestInit;
  }
  /** A client whose `fetch` records its arguments. */
  const noting = (options: object = {}, status = 200) => {
    const given: Given[] = [];
    const fetch = async (input: unknown, init: RequestInit = {}) => {
      given.push({ input, init });
      return Response.json(wireOrganization(), { status });
    };
    return { given, sallyport: clientWith(fetch as typeof globalThis.fetch, options) };
  };

  test('with a URL, and with a method, headers, a body and a signal', async () => {
    const { given, sallyport } = noting({ baseUrl: 'https://api.acme.test/v1', apiKey: 'sk_test_42' });

    await sallyport.organizations.createOrganization({ name: 'Acme' }, { idempotencyKey: 'one' });

    expect(given).toMatchObject([
      {
        input: 'https://api.acme.test/v1/organizations',
        init: {
          method: 'POST',
          headers: {
            accept: 'application/json',
            authorization: 'Bearer sk_test_42',
            'content-type': 'application/json',
            'idempotency-key': 'one',
          },
          body: '{"name":"Acme"}',
          redirect: 'manual',
          signal: expect.any(AbortSignal),
        },
      },
    ]);
  });

  test('without a body if the request has none', async () => {
    const { given, sallyport } = noting();

    await get(sallyport);

    expect(given[0]!.init).not.toHaveProperty('body');
  });

  test('with a new headers object for each attempt', async () => {
    const seen: unknown[] = [];
    const fetch = async (_: unknown, init: RequestInit = {}) => {
      const headers = init.headers as Record<string, string>;
      seen.push(headers.traceparent);
      headers.traceparent = 'of this attempt';
      return new Response(null, { status: 503, headers: { 'retry-after': '0' } });
    };

    await failureOf(get(clientWith(fetch as typeof globalThis.fetch, { maxRetries: 1 })));

    expect(seen).toEqual([undefined, undefined]);
  });
});
