import { describe, expect, test } from 'vitest';
import { complaintAbout } from '../../src/service/describe/check.js';
import type { Descriptor } from '../../src/service/describe/define.js';
import { descriptorOf, type Operation } from '../../src/service/describe/operation.js';
import { operations } from '../../src/service/operations.js';
import type { AnyInput } from '../../src/transport/request/request.js';
import { Transport } from '../../src/transport/transport.js';
import {
  core,
  failures,
  leakIn,
  printed,
  repeated,
  secretOf,
  services,
  type Words,
} from '../servers/repeated-requests.js';

// Every operation is called with secrets in all arguments that may have one, at a service that repeats the request. In `npm test`,
// each row calls every third operation, and the next row begins with the next one.

const apiKey = `sk_live_"${core('apiKey')}"/\\+&=%~'!()1234`;
const accessToken = `Bearer/${core('accessToken')}+"\\=`;
const headerToken = `${core('headerToken')}; "${core('headerToken')}"\\é`;

/** A value for a field. Secrets are filled in even if they are optional. */
function sampleOf(field: Descriptor, name: string): unknown {
  if (field.secret) return secretOf(name);
  if (field.known) return field.kind === 'integer' ? Number(field.known[0]) : field.known[0];
  switch (field.kind) {
    case 'string': {
      const [prefix] = field.prefixes ?? [];
      if (prefix) return `${prefix}01`;
      if (field.format === 'url') return 'https://app.acme.test/';
      return field.format === 'timestamp' ? '2026-01-01T00:00:00.000Z' : 'ada@acme.test';
    }
    case 'number':
    case 'integer':
      return field.min ?? 1;
    case 'boolean':
      return true;
    case 'constant':
      return field.constant;
    case 'array':
      return [sampleOf(field.element!, name)];
    case 'model':
      return Object.fromEntries(
        Object.entries(field.model!.shape)
          .filter(([, { secret, optional, kind }]) => secret || !optional || kind === 'model' || kind === 'array')
          .map(([key, inner]) => [key, sampleOf(inner, key)]),
      );
    default:
      return {};
  }
}

function inputOf({ path, io }: Operation): AnyInput {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!.replace(/_(.)/g, (_, one) => one.toUpperCase()));
  const secretQuery = Object.entries(io.query?.shape ?? {}).filter(([, { secret }]) => secret);
  return {
    params: Object.fromEntries(names.map((name) => [name, /token|secret/i.test(name) ? secretOf(name) : 'one'])),
    query: Object.fromEntries(secretQuery.map(([name, field]) => [name, sampleOf(field, name)])),
    ...(io.body && { body: sampleOf(descriptorOf(io.body), 'body') }),
    ...(io.auth === 'access_token' && { accessToken }),
  };
}

const seen: string[] = [];
const see = (value: unknown): void => void seen.push(...printed(value));
const log = (line: string): void => void seen.push(line);

const called = Object.values(operations).filter(({ kind }) => kind !== 'url');
const step = process.env.SALLYPORT_TEST_ALL ? 1 : 3;
let row = 0;

/** The secrets that appear while operations are called: operation, status and the text around each secret. */
async function leaksOf(status: number, answer: (words: Words, status: number) => Response) {
  const leaks = new Set<string>();
  let errors = 0;
  row += 1;
  const ofRow = called.filter((_, at) => (at + row) % step === 0);
  for (const operation of ofRow) {
    const transport = new Transport({
      apiKey,
      clientId: 'client_1',
      baseUrl: 'https://api.acme.test',
      fetch: async (input, init) => answer(repeated(input, init), status),
      hooks: { onRequest: see, onResponse: see, onRetry: see, onError: see, onCancel: see },
      logger: { level: 'debug', to: { debug: log, info: log, warn: log, error: log } },
      maxRetries: 0,
    });
    const input = inputOf(operation);
    const options = {
      headers: { 'x-gateway-token': headerToken },
      extraQuery: { access_token: secretOf('extraQuery') },
      ...(operation.io.body &&
        !Array.isArray(input.body) && { extraBody: { more: { client_secret: secretOf('extraBody') } } }),
    };
    await transport
      .send(operation, input, options)
      .withResponse()
      .catch((error: unknown) => {
        errors += 1;
        see(error);
      });
    for (const text of seen.splice(0)) {
      const leak = leakIn(text);
      if (leak) leaks.add(`${operation.id} ${status}: ${leak}`);
    }
  }
  return { leaks: [...leaks].slice(0, 5), errors, calls: ofRow.length };
}

describe('each operation', () => {
  test('accepts the request body generated from its description', () => {
    for (const operation of called) {
      const { body } = operation.io;

      expect([operation.id, body && complaintAbout(descriptorOf(body), inputOf(operation).body)?.at]).toEqual([
        operation.id,
        undefined,
      ]);
    }
  });

  test('with a token in its path marks the token as secret', () => {
    const withToken = called.filter(({ path }) => /:\w*(?:token|secret|code|password)/.test(path));

    expect(withToken.map(({ id, io }) => [id, io.secretParams])).toEqual([['invitations.findByToken', true]]);
  });
});

describe('no error, hook record or log line contains a secret from the request', () => {
  test.each([400, 401, 403, 404, 409, 422, 429, 500])(
    'even if a response with status code %i echoes the request',
    async (status) => {
      const { leaks, errors, calls } = await leaksOf(status, services['as the message, code and field errors']!);

      expect(leaks).toEqual([]);
      expect(errors).toBe(calls);
    },
  );

  test.each(Object.keys(services))('even if an error response echoes the request %s', async (way) => {
    const { leaks, errors, calls } = await leaksOf(404, services[way]!);

    expect(leaks).toEqual([]);
    expect(errors).toBe(calls);
  });

  test.each(Object.keys(services))('even if a successful response echoes the request %s', async (way) => {
    const { leaks } = await leaksOf(200, services[way]!);

    expect(leaks).toEqual([]);
  });

  test.each(Object.keys(failures))('even if fetch fails and echoes the request %s', async (way) => {
    const { leaks, errors, calls } = await leaksOf(0, (words) => {
      throw failures[way]!(words);
    });

    expect(leaks).toEqual([]);
    expect(errors).toBe(calls);
  });

  test('except a secret leaked deliberately to test the detection', async () => {
    const { leaks } = await leaksOf(400, ({ raw }) => {
      see(raw);
      return Response.json({}, { status: 400 });
    });

    expect(leaks).toHaveLength(5);
  });
});
