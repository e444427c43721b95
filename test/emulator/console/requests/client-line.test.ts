import { expect, test } from 'vitest';
import { clientLineOf } from '../../../../src/emulator/console/requests/client-line.js';
import { createEmulator } from '../../../../src/emulator/index.js';
import { Parser } from '../../../../src/emulator/store/parser.js';
import { Sallyport } from '../../../../src/index.js';
import { Codec } from '../../../../src/service/describe/codec.js';
import { emulatedDialects } from '../../../../src/service/describe/emulated-dialect.js';
import { operations } from '../../../../src/service/operations.js';
import { tour } from '../../../parity/tour.js';
import { specifiedOperations } from '../../../spec/operations.js';

const codec = new Codec(emulatedDialects.spec);
const world = { codec, parser: new Parser(codec), settings: { dialect: emulatedDialects.spec } };

const lineOf = (id: string, path: string, body: unknown = null): string | undefined =>
  clientLineOf(world, { operation: operations[id], path, body: body === null ? null : JSON.stringify(body) });

test.each([
  ['organizations.get', '/organizations/org_acme', null, "organizations.getOrganization('org_acme')"],
  [
    'organizations.create',
    '/organizations',
    { name: "Ada's" },
    "organizations.createOrganization({ name: 'Ada\\'s' })",
  ],
  [
    'users.update',
    '/user_management/users/user_ada',
    { first_name: 'Ada', metadata: { 'cost centre': '7' } },
    "userManagement.updateUser({ userId: 'user_ada', firstName: 'Ada', metadata: { 'cost centre': '7' } })",
  ],
  [
    'users.list',
    '/user_management/users?email=ada%40acme.test&limit=5',
    null,
    "userManagement.listUsers({ email: 'ada@acme.test', limit: 5 })",
  ],
  [
    'organizations.getByExternalId',
    '/organizations/external_id/crm%2F7',
    null,
    "organizations.getOrganizationByExternalId('crm/7')",
  ],
  [
    'fga.check',
    '/fga/v1/check',
    {
      checks: [
        {
          resource_type: 'report',
          resource_id: '7',
          relation: 'viewer',
          subject: { resource_type: 'user', resource_id: 'ada' },
        },
      ],
    },
    `fga.check({
  checks: [
    {
      resource: { resourceType: 'report', resourceId: '7' },
      relation: 'viewer',
      subject: { resourceType: 'user', resourceId: 'ada' },
    },
  ],
})`,
  ],
])("the suggested client call for %s uses the client's method and parameter names", (id, path, body, line) => {
  expect(lineOf(id, path, body)).toBe(`await sallyport.${line};`);
});

test('a request that the client cannot send has no suggested client call', () => {
  expect(clientLineOf(world, { operation: undefined, path: '/nowhere', body: null })).toBeUndefined();
  expect(lineOf('sso.getProfile', '/sso/profile')).toBeUndefined();
  expect(lineOf('users.create', '/user_management/users', { email: 7 })).toBeUndefined();
  expect(lineOf('users.get', '/somewhere/else')).toBeUndefined();
});

test('the suggested client call for each operation in the specification repeats the original request', async () => {
  const emulator = await createEmulator({
    seed: 'examples/company.yaml',
    clock: '2026-05-04T08:00:00.000Z',
    ids: 'tour',
    autoApprove: true,
  });
  await emulator.listen();
  const requests: { readonly id: string; readonly request: string; readonly line: string | undefined }[] = [];
  const textOf = async (request: Request): Promise<string> => {
    const body = await request.text();
    const path = request.url.replace(/^[^/]*\/\/[^/]*/, '');
    return `${request.method} ${path} ${body.startsWith('{') ? JSON.stringify(Object.entries(JSON.parse(body)).sort()) : body}`;
  };
  const recordRequest: typeof fetch = async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(String(input), emulator.url), init);
    const [copy, body] = [request.clone(), await request.clone().text()];
    const answer = await fetch(request);
    const [logged] = emulator.requests.list({ limit: 1 });
    const operation = operations[logged?.operation ?? ''];
    if (operation)
      requests.push({
        id: operation.id,
        request: await textOf(copy),
        line: clientLineOf(world, { operation, path: copy.url.slice(copy.url.indexOf('/', 8)), body: body || null }),
      });
    return answer;
  };
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: recordRequest });
  for (const { id } of specifiedOperations) await tour[id]!({ sallyport, emulator, fetch: recordRequest });
  await emulator.close();

  let sent = '';
  const recorder: typeof fetch = async (input, init) => {
    sent = await textOf(new Request(input, init));
    return Response.json({}, { status: 404 });
  };
  const caller = new Sallyport({ ...emulator.credentials, fetch: recorder });
  const wrong: unknown[] = [];
  const without = new Set<string>();
  for (const { id, request, line } of requests) {
    if (line === undefined) {
      without.add(id);
      continue;
    }
    sent = 'nothing';
    await new Function('sallyport', `return (async () => { ${line} })()`)(caller).catch(() => undefined);
    if (sent !== request) wrong.push({ id, line, request, sent });
  }

  expect(wrong).toEqual([]);
  // URLs for browsers, and calls that use an access token, are not requests of the client.
  expect([...without].sort()).toEqual([
    'sso.authorize',
    'sso.authorizeByDomain',
    'sso.getProfile',
    'userManagement.authorize',
    'userManagement.logout',
  ]);
  expect(new Set(requests.map(({ id }) => id)).size).toBeGreaterThan(90);
});
