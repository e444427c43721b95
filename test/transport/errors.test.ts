import {
  ApiError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  SallyportError,
  ServerError,
  UnauthorizedError,
  UnprocessableError,
} from 'sallyport';
import { describe, expect, test } from 'vitest';
import { clientOf, clientWith, failureOf, type Said, serve } from '../servers/server.js';

/** The error for this response. */
async function errorFrom(said: Said): Promise<ApiError> {
  const server = await serve(said);
  const error = await failureOf(clientOf(server, { maxRetries: 0 }).organizations.getOrganization('org_01'));
  if (error instanceof ApiError) return error;
  throw error;
}

describe('an error from the service', () => {
  const classes = [
    [400, BadRequestError, 'bad_request'],
    [401, UnauthorizedError, 'unauthorized'],
    [403, ForbiddenError, 'forbidden'],
    [404, NotFoundError, 'not_found'],
    [409, ConflictError, 'conflict'],
    [422, UnprocessableError, 'unprocessable'],
    [429, RateLimitError, 'rate_limited'],
    [500, ServerError, 'server_error'],
    [501, ServerError, 'server_error'],
    [503, ServerError, 'server_error'],
    [599, ServerError, 'server_error'],
    [402, ApiError, 'request_failed'],
    [408, ApiError, 'request_failed'],
    [413, ApiError, 'request_failed'],
    [418, ApiError, 'request_failed'],
  ] as const;

  test.each(classes.map(([status, type, code]) => [status, type.kind, code, type] as const))(
    'with status code %s has the class %s and the code %s',
    async (status, _kind, code, type) => {
      const error = await errorFrom({ status, body: { message: 'No.', code: 'because' } });

      expect(error).toBeInstanceOf(type);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(SallyportError);
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ name: type.kind, code, status, serviceCode: 'because' });
    },
  );

  test('contains the method, route, status, headers and body of the failed call', async () => {
    const error = await errorFrom({ status: 404, headers: { 'x-region': 'eu' }, body: { message: 'Gone.' } });

    expect(error).toMatchObject({
      status: 404,
      requestId: 'req_42',
      method: 'GET',
      route: '/organizations/:id',
      attempts: 1,
      serviceCode: undefined,
    });
    expect(error.headers.get('x-region')).toBe('eu');
    expect(error.body).toEqual({ message: 'Gone.' });
    expect(error.message).toBe(
      'organizations.getOrganization found no such object (GET /organizations/:id, status 404). ' +
        'The service says: Gone. ' +
        'Check the id, and that it belongs to the environment of the API key. The request id is req_42.',
    );
  });

  test('with status code 404 advises checking baseUrl if the service does not know the path', async () => {
    const nginx = await serve({ status: 404, body: '<h1>Not found</h1>', headers: { 'content-type': 'text/html' } });
    const emulator = await serve({
      status: 404,
      body: { code: 'not_found', message: 'The service has nothing here.' },
    });

    const list = await failureOf(clientOf(nginx).organizations.listOrganizations());
    const one = await failureOf(clientOf(emulator).organizations.getOrganization('org_01'));

    const words = 'Check that baseUrl is the URL of the service.';
    expect((list as Error).message).toBe(
      `organizations.listOrganizations found nothing at this address (GET /organizations, status 404). ${words} The request id is req_42.`,
    );
    expect((one as Error).message).toMatch(/getOrganization found nothing at this address .*baseUrl is the URL/);
  });

  test('with status code 404 says that the object was not found if the service code is entity_not_found', async () => {
    const server = await serve({ status: 404, body: { code: 'entity_not_found', message: 'No such organization.' } });

    const error = await failureOf(
      clientOf(server).organizationDomains.createOrganizationDomain({ organizationId: 'org_01', domain: 'acme.test' }),
    );

    expect((error as Error).message).toContain('found no such object');
  });

  test('with status code 403 mentions the API key only if the service gives no other reason', async () => {
    const key = await errorFrom({ status: 403, body: { code: 'forbidden', message: 'No.' } });
    const user = await errorFrom({ status: 403, body: { code: 'user_not_organization_member', message: 'No.' } });

    expect(key.message).toContain('is not allowed with this key');
    expect(user.message).not.toContain('key');
  });

  test('with status code 501 does not advise a retry', async () => {
    const error = await errorFrom({ status: 501, body: { code: 'not_emulated', message: 'No.' } });

    expect(error.message).toContain('Trying again will not help');
    expect(error.message).not.toContain('later');
  });

  test('has an undefined requestId if the response has no request id', async () => {
    const server = await serve((_, response) => response.writeHead(404).end());

    const error = await failureOf(clientOf(server).organizations.getOrganization('org_01'));

    expect(error).toMatchObject({ code: 'not_found', requestId: undefined, body: '' });
    expect((error as Error).message).not.toContain('undefined');
  });

  test.each([
    ['a Retry-After of 7', 7_000, '7'],
    ['the invalid Retry-After "soon"', undefined, 'soon'],
    ['no Retry-After', undefined, undefined],
  ])('with %s has a retryAfterMs of %s', async (_header, retryAfterMs, value) => {
    for (const status of [429, 503]) {
      const error = await errorFrom({ status, headers: value === undefined ? {} : { 'retry-after': value }, body: {} });

      expect(error).toHaveProperty('retryAfterMs', retryAfterMs);
      expect(error.message).toContain(retryAfterMs ? 'Try again in 7 s' : 'Try again later');
    }
  });
});

describe("the service's error details", () => {
  test.each<[string, unknown, { serviceCode: string | undefined; words: string | undefined }]>([
    ['with a message', { message: 'No such thing.' }, { serviceCode: undefined, words: 'No such thing.' }],
    ['with a message and a code', { message: 'No.', code: 'taken' }, { serviceCode: 'taken', words: 'No.' }],
    [
      'in the OAuth format',
      { error: 'invalid_grant', error_description: 'The code is used.' },
      { serviceCode: 'invalid_grant', words: 'The code is used.' },
    ],
    [
      'with a list of messages',
      { message: ['name must be text', 7, 'state is unknown'], error: 'Bad Request', statusCode: 400 },
      { serviceCode: 'Bad Request', words: 'name must be text; state is unknown' },
    ],
    ['with an empty list of messages', { message: [], error: 'x' }, { serviceCode: 'x', words: undefined }],
    ['with only an error name', { error: 'Unauthorized' }, { serviceCode: 'Unauthorized', words: undefined }],
    ['with only two different codes', { code: 'a', error: 'b' }, { serviceCode: 'a', words: undefined }],
    [
      'without usable fields',
      { message: 7, code: {}, error: null, errors: 'x' },
      { serviceCode: undefined, words: undefined },
    ],
    ['that is an array', ['No.'], { serviceCode: undefined, words: undefined }],
    ['that is a string', 'No.', { serviceCode: undefined, words: undefined }],
    ['that is null', null, { serviceCode: undefined, words: undefined }],
  ])('are taken from the valid fields of an error body %s', async (_, body, { serviceCode, words }) => {
    const error = await errorFrom({ status: 400, body: JSON.stringify(body) });

    expect(error.serviceCode).toBe(serviceCode);
    expect(error.body).toEqual(body);
    if (words) expect(error.message).toContain(`The service says: ${words}`);
    else expect(error.message).not.toContain('The service says');
  });

  test.each<[string, unknown, object]>([
    ['with a field and a code', { field: 'email', code: 'email_required' }, { field: 'email', code: 'email_required' }],
    [
      'with a code and a message',
      { code: 'too_short', message: 'Too short.' },
      { code: 'too_short', message: 'Too short.' },
    ],
    [
      'with a path and a message',
      { instancePath: '/event/actor', message: 'bad' },
      { field: '/event/actor', message: 'bad' },
    ],
    [
      'with a list of messages',
      { field: 'name', message: ['too short', 'taken'] },
      { field: 'name', message: 'too short; taken' },
    ],
    ['that is a string', 'Name is required.', { message: 'Name is required.' }],
    ['that is a number', 7, { message: '7' }],
    ['that is null', null, { message: 'null' }],
    ['without usable fields', { field: 7, nested: {} }, {}],
    ['that is an array', ['x'], {}],
  ])('are taken from the valid members of a field error %s', async (_, entry, expected) => {
    const error = await errorFrom({ status: 422, body: { message: 'No.', errors: [entry] } });

    expect(error).toBeInstanceOf(UnprocessableError);
    expect((error as UnprocessableError).errors).toEqual([expected]);
  });

  test("are limited to five field errors in the client's error message", async () => {
    const errors = Array.from({ length: 9 }, (_, i) => ({ field: `f${i}`, code: 'required' }));
    const error = await errorFrom({ status: 422, body: { message: 'No.', errors } });

    expect(error.message).toContain('The service says: No.; f0: required; f1: required');
    expect(error.message).toContain('f4: required; 4 more.');
    expect(error.message).not.toContain('f5');
    expect((error as UnprocessableError).errors).toHaveLength(9);
  });

  test("are shortened to one line of limited length in the client's error message", async () => {
    const error = await errorFrom({ status: 400, body: { message: `a\n\u001b[31mb\u2028${'c'.repeat(5_000)}` } });

    expect(error.message).toContain('The service says: a [31mb ccc');
    expect(error.message.length).toBeLessThan(900);
  });
});

describe('a failed connection', () => {
  const failing = (thrown: unknown) =>
    failureOf(
      clientWith(
        async () => {
          throw thrown;
        },
        { maxRetries: 0 },
      ).organizations.getOrganization('org_01'),
    ) as Promise<ConnectionError>;

  test('is reported as a ConnectionError that names the host, route, attempts and reason', async () => {
    const reason = Object.assign(new Error('getaddrinfo ENOTFOUND api.acme.test'), { code: 'ENOTFOUND' });
    const cause = new TypeError('fetch failed', { cause: reason });

    const error = await failing(cause);

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'connection_failed', method: 'GET', route: '/organizations/:id', attempts: 1 });
    expect(error.cause).toBe(cause);
    expect(error.message).toBe(
      'organizations.getOrganization got no answer from api.acme.test (GET /organizations/:id, tried once). ' +
        'ENOTFOUND: fetch failed: getaddrinfo ENOTFOUND api.acme.test. Check baseUrl, the network and the proxy.',
    );
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'a string'],
    ['a number', 7],
    ['an object', { message: 'an object' }],
  ])('is reported as a ConnectionError even if fetch throws %s', async (_kind, thrown) => {
    const error = await failing(thrown);

    expect(error).toMatchObject({ code: 'connection_failed' });
    if (thrown === undefined || thrown === null) expect(error).not.toHaveProperty('cause');
  });

  test('is reported as a ConnectionError even if the causes are circular', async () => {
    const circle = new Error('round') as Error & { cause?: unknown };
    circle.cause = new Error('and round', { cause: circle });

    const error = await failing(circle);

    expect(error.message).toContain('round: and round');
    expect(error.cause).toBe(circle);
  });
});

describe("an error's name", () => {
  test('can be changed, as on a built-in error', async () => {
    const error = await errorFrom({ status: 404 });

    error.name = 'Wrapped';

    expect([error.name, String(error), JSON.parse(JSON.stringify(error)).name]).toEqual([
      'Wrapped',
      `Wrapped: ${error.message}`,
      'Wrapped',
    ]);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(Object.keys(error)).not.toContain('name');
  });

  test('can be set by the constructor of a subclass', () => {
    class BillingError extends SallyportError {
      constructor() {
        super('unpaid', { what: 'The plan is not paid' });
        this.name = 'BillingError';
      }
    }

    expect(String(new BillingError())).toBe('BillingError: The plan is not paid.');
    expect(String(new SallyportError('other', { what: 'Another error' }))).toBe('SallyportError: Another error.');
  });
});

describe('an error as JSON', () => {
  test('contains the fields that are safe to log, but no headers or body', async () => {
    const error = await errorFrom({
      status: 422,
      body: { message: 'No.', code: 'invalid', errors: [{ field: 'name', code: 'required' }], private: 'hush' },
    });

    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'UnprocessableError',
      message: error.message,
      code: 'unprocessable',
      status: 422,
      requestId: 'req_42',
      method: 'GET',
      route: '/organizations/:id',
      attempts: 1,
      serviceCode: 'invalid',
      errors: [{ field: 'name', code: 'required' }],
    });
  });
});
