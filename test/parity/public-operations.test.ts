import { describe, expect, test } from 'vitest';
import { missingOperations } from '../../src/emulator/chain/missing-operations.js';
import { publicFields } from '../../src/emulator/chain/public-fields.js';
import { unreadFields } from '../../src/emulator/chain/unread-fields.js';
import { router } from '../../src/emulator/registry.js';
import { Codec } from '../../src/service/describe/codec.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { emulatedDialects } from '../../src/service/describe/emulated-dialect.js';
import { pathOf } from '../../src/service/describe/operation.js';
import { publicOperations } from '../spec/public-operations.js';
import { stage } from '../stage.js';

const codec = new Codec(emulatedDialects.workos);
const pattern = (path: string): string => path.replace(/:[a-z_]+/g, ':');
const addressOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method} ${pattern(path)}`;

const routes = [...router.routes.values()];
const routesAt = (address: string) =>
  routes.filter(({ operation }) => `${operation.method} ${pattern(pathOf(operation, dialects.workos))}` === address);
const servedOperations = publicOperations.filter((operation) => routesAt(addressOf(operation)).length > 0);
const missing = publicOperations.filter((operation) => !servedOperations.includes(operation));

/** Parameters and fields that the emulator ignores. It uses all others of these operations. */
const withoutEffect: Readonly<Record<string, readonly string[]>> = {
  'GET /sso/authorize': ['domain_hint', 'nonce', 'prompt', 'provider_query_params', 'provider_scopes'],
  'GET /user_management/authorize': ['domain_hint', 'provider_query_params', 'provider_scopes'],
  'POST /portal/generate_link': ['it_contact_emails'],
  'POST /user_management/authenticate': ['device_id', 'radar_auth_attempt_id', 'signals_id'],
  'POST /user_management/invitations': ['locale'],
  'POST /user_management/magic_auth': ['ip_address', 'radar_auth_attempt_id', 'signals_id', 'user_agent'],
  'POST /user_management/users': ['ip_address', 'signals_id', 'user_agent'],
};
const refused: Readonly<Record<string, readonly string[]>> = {
  'POST /sso/token': ['?client_id', '?client_secret', '?code', '?grant_type'],
  'POST /user_management/authenticate': ['device_code', 'phone_number', 'radar_challenge_id', 'verification_id'],
  'POST /user_management/users': ['password_salt_position'],
  'PUT /user_management/users/:': ['password_salt_position'],
};

describe.each(
  servedOperations.map((operation) => {
    const address = addressOf(operation);
    return [address.replaceAll(/:(?=\/|$)/g, ':id'), address, operation] as const;
  }),
)('the emulated %s endpoint', (_, address, operation) => {
  /** Returns the names in one part of the request that no route uses. */
  const unread = (names: readonly string[], request: (name: string) => Parameters<typeof unreadFields>[2]) =>
    names.filter((name) => routesAt(address).every((route) => unreadFields(route, codec, request(name)).has(name)));
  const inQuery = unread(operation.query, (name) => ({
    body: undefined,
    query: new URLSearchParams({ [name]: 'a' }),
  }));
  const inBody = unread(operation.body, (name) => ({ body: { [name]: 'a' }, query: new URLSearchParams() }));

  test('handles each public parameter and field as the compatibility list specifies', () => {
    const ofTable = (list: 'withoutEffect' | 'refused') => (name: string) =>
      routesAt(address).every(({ operation: { id } }) => {
        const names = publicFields[id]?.[list] ?? [];
        return Array.isArray(names) ? names.includes(name) : name in names;
      });
    const inOrder = (list: 'withoutEffect' | 'refused') => [
      ...inQuery.filter(ofTable(list)).map((name) => (operation.body.length > 0 ? `?${name}` : name)),
      ...inBody.filter(ofTable(list)),
    ];

    expect({ withoutEffect: inOrder('withoutEffect'), refused: inOrder('refused') }).toEqual({
      withoutEffect: withoutEffect[address] ?? [],
      refused: refused[address] ?? [],
    });
    expect(inQuery.length + inBody.length).toBe(
      (withoutEffect[address] ?? []).length + (refused[address] ?? []).length,
    );
  });
});

test('the compatibility list names only operations and fields of the public service', () => {
  const unknown = Object.entries(publicFields).flatMap(([id, fields]) => {
    const { operation } = router.routes.get(id) ?? {};
    const row = publicOperations.find((one) => operation && addressOf(one) === addressOf(operation));
    const names = [...(fields?.withoutEffect ?? []), ...Object.keys(fields?.refused ?? {})];
    return names.filter((name) => !row?.query.includes(name) && !row?.body.includes(name)).map((name) => [id, name]);
  });

  expect(unknown).toEqual([]);
});

test('the public service has 212 operations, of which the emulator serves 80', () => {
  expect([publicOperations.length, servedOperations.length, missing.length]).toEqual([212, 80, 132]);
});

test('the list of missing operations contains exactly the public operations that the emulator does not serve', () => {
  const listed = Object.entries(missingOperations).flatMap(([path, methods]) =>
    methods.split(' ').map((method) => addressOf({ method, path })),
  );

  expect(listed.sort()).toEqual(missing.map(addressOf).sort());
});

describe('a public operation that the emulator does not serve', () => {
  test('returns 501 in the workos dialect, and 404 or 405 in the spec dialect', async () => {
    const [workos, spec] = [await stage({ dialect: 'workos' }), await stage()];
    const statuses = new Set<string>();

    for (const { method, path } of missing) {
      const line = `${method} ${path.replace(/:[a-z_]+/g, 'one')}`;
      const [own, other] = [await workos.send(line), await spec.send(line)];
      statuses.add(`${own.status} ${own.body.code} ${own.headers.get('sallyport-emulator')}`);
      statuses.add(`${other.status} ${other.body.code}`);
    }

    expect([...statuses].sort()).toEqual(['404 not_found', '405 method_not_allowed', '501 not_emulated not-emulated']);
  });

  test('returns an error that advises mocking the request or using a staging environment', async () => {
    const { send } = await stage({ dialect: 'workos' });

    const { status, body } = await send('POST /widgets/token', { organization_id: 'org_acme' });

    expect([status, body]).toEqual([
      501,
      {
        code: 'not_emulated',
        message:
          'The service has POST /widgets/token, but the emulator does not. Mock this request in your tests, or send it to a staging environment of the service. docs/operations.md lists the operations of the emulator.',
      },
    ]);
  });

  test.each(['GET /widgets', 'GET /widgets/token', 'POST /widgets/token/'])(
    'is recognized only by the exact method and path (%s returns 404)',
    async (line) => {
      const { send } = await stage({ dialect: 'workos' });

      const { status, headers } = await send(line);

      expect([status, headers.get('sallyport-emulator')]).toEqual([404, 'no-such-path']);
    },
  );
});

describe('a field that the emulator cannot support', () => {
  const user = { email: 'ada@example.com', password_salt_position: 'prefix' };

  test('is rejected in the workos dialect with an error that names the field', async () => {
    const { send, events } = await stage({ dialect: 'workos' });

    const { status, body, headers } = await send('POST /user_management/users', user);

    expect([status, body.code, headers.get('sallyport-emulator')]).toEqual([422, 'not_emulated', 'not-emulated']);
    expect(body.errors).toEqual([
      { field: 'password_salt_position', code: 'not_emulated', message: 'is not emulated' },
    ]);
    expect(body.message).toMatch(
      /^password_salt_position is not emulated, and leaving it out could change later answers\. Leave it out, and /,
    );
    expect(events).toEqual([]);
  });

  test('is accepted if the value is null', async () => {
    const { send } = await stage({ dialect: 'workos' });

    expect((await send('POST /user_management/users', { ...user, password_salt_position: null })).status).toBe(201);
  });

  test('is rejected even if the request body has 100 unknown fields', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field_${at}`, at]));

    expect((await send('POST /user_management/users', { ...many, ...user })).status).toBe(422);
  });

  test('is ignored in the spec dialect', async () => {
    const { send } = await stage();

    expect((await send('POST /user_management/users', user)).status).toBe(200);
  });

  test('is rejected in a token request with an OAuth error', async () => {
    const { send, emulator } = await stage({ dialect: 'workos' });
    const { clientId, apiKey } = emulator.credentials;
    const grant = (fields: object) =>
      send('POST /user_management/authenticate', { client_id: clientId, client_secret: apiKey, ...fields });

    const device = await grant({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'd' });
    const unknown = await grant({ grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer' });

    expect([device.status, device.body.error]).toEqual([422, 'not_emulated']);
    expect(device.body.error_description).toContain('It belongs to the device flow. Sign in with another grant type');
    expect([unknown.status, unknown.body.error]).toEqual([400, 'unsupported_grant_type']);
  });

  test('is rejected in the query string if the operation expects the field in the body', async () => {
    const { send, emulator } = await stage({ dialect: 'workos' });
    const { clientId, apiKey } = emulator.credentials;
    const body = { client_id: clientId, client_secret: apiKey, grant_type: 'authorization_code', code: 'c' };

    const inBody = await send('POST /sso/token', body);
    const inQuery = await send('POST /sso/token?code=c', body);

    expect([inBody.status, inBody.body.error]).toEqual([400, 'invalid_grant']);
    expect([inQuery.status, inQuery.body.errors]).toEqual([
      422,
      [{ field: 'code', code: 'not_emulated', message: 'is not emulated' }],
    ]);
    expect(inQuery.body.error_description).toContain('Send it in the body');
  });
});
