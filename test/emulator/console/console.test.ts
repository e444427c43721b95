import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Emulator, EmulatorOptions, Seed } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';

const seed: Seed = {
  organizations: [{ id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] }],
  users: [{ id: 'user_ada', email: 'ada@acme.test', password: 'a quiet harbour at dawn', email_verified: true }],
  memberships: [{ user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'admin' }],
  roles: [{ slug: 'admin' }],
  directories: [
    {
      id: 'directory_acme',
      name: 'Harbour staff',
      type: 'okta scim v2.0',
      organization_id: 'org_acme',
      users: [{ id: 'directory_user_grace', email: 'grace@acme.test', first_name: 'Grace' }],
    },
  ],
  resource_types: [
    { type: 'user', relations: {} },
    { type: 'report', relations: { viewer: {} } },
  ],
  warrants: [
    {
      resource_type: 'report',
      resource_id: '7',
      relation: 'viewer',
      subject: { resource_type: 'user', resource_id: 'ada' },
    },
  ],
};

/** Starts an emulator, and returns functions that call it and open its pages as a browser. */
async function startEmulator(options: EmulatorOptions = {}) {
  const { emulator, send } = await stage({ seed, ...options });
  const open = async (path: string) => {
    const response = await emulator.fetch(path, { headers: { accept: 'text/html' } });
    // Word breaks are invisible to the user.
    const text = (await response.text()).replaceAll('<wbr>', '');
    return { status: response.status, headers: response.headers, text, words: wordsOf(text) };
  };
  return { emulator, send, open };
}

/** Returns the visible text of a page. */
const wordsOf = (page: string): string =>
  page
    .replace(/<(style|script).*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test('the overview page shows the credentials, the number of objects and the seeded users', async () => {
  const { open } = await startEmulator();

  const { status, headers, words } = await open('/');

  expect([status, headers.get('sallyport-emulator')]).toEqual([200, 'page']);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(words).toContain('API key sk_test_sallyport_emulator Client ID client_sallyport_emulator');
  expect(words).toMatch(
    /SALLYPORT_BASE_URL=http:\/\/\S+ SALLYPORT_API_KEY=sk_test_sallyport_emulator SALLYPORT_CLIENT_ID=client_sallyport_emulator SALLYPORT_COOKIE_PASSWORD=\S{32,} SALLYPORT_REDIRECT_URI=http:\/\/localhost:3000\/callback /,
  );
  expect(words).not.toContain('State ');
  expect(words).toContain('1 user 1 organization 1 membership 0 active sessions 1 directory');
  expect(words).toContain('Seeded users ada@acme.test');
});

test.each([
  ['users', 'ada@acme.test'],
  ['users/user_ada', 'Password set'],
  ['users/user_ada', 'Acme admin active'],
  ['organizations', 'Acme acme.test 1 org_acme'],
  ['organizations/org_acme', 'ada@acme.test admin active'],
  ['organizations/org_acme', 'Harbour staff okta scim v2.0'],
  ['directories', 'Harbour staff Acme okta scim v2.0'],
  ['directories/directory_acme', 'Grace grace@acme.test active'],
  ['fga', 'report:7 viewer user:ada'],
  ['events', 'No events yet'],
  ['webhooks', 'No webhook endpoints yet'],
  ['audit-logs', 'No audit events yet'],
  ['faults', 'No faults.'],
])('the page /_emulator/console/%s shows the text "%s"', async (path, expected) => {
  const { open } = await startEmulator();

  const { status, words } = await open(`/_emulator/console/${path}`);

  expect(status).toBe(200);
  expect(words).toContain(expected);
});

test("a request's page shows the response, the events and a curl command that repeats the request", async () => {
  const { emulator, send, open } = await startEmulator();
  await send('POST /organizations', { name: 'Tailspin' });
  const [request] = emulator.requests.list();

  const list = await open('/_emulator/console/requests');
  const one = await open(`/_emulator/console/requests/${request!.id}`);
  const event = await open(`/_emulator/console/events/${request!.events[0]!.id}`);

  expect(list.words).toContain('200 POST /organizations organizations.createOrganization');
  expect(one.words).toContain('SDK method organizations.createOrganization');
  expect(one.words).toContain('&quot;name&quot;: &quot;Tailspin&quot;');
  expect(one.words).toContain('-X POST &#39;http://emulator.localhost/organizations&#39;');
  expect(one.words).toContain('Events organization.created');
  expect(event.words).toContain('Caused by POST /organizations');
});

test("a request's page lists the fields that the emulator ignored", async () => {
  const { emulator, send, open } = await startEmulator();
  await send('POST /organizations', { name: 'Tailspin', color: 'red', size: 7 });
  const [request] = emulator.requests.list();

  const { words } = await open(`/_emulator/console/requests/${request!.id}`);

  expect(words).toContain('Fields without effect color, size');
});

test('the curl command for a request escapes quotes, and sends a form as form data', async () => {
  const { emulator, send, open } = await startEmulator();
  await send('POST /organizations', { name: "Ada's" });
  await emulator.fetch('/user_management/authenticate', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=refresh_token',
  });
  const [quote, form] = emulator.requests.list();
  const lineOf = async (id: string) => (await open(`/_emulator/console/requests/${id}`)).words;

  expect(await lineOf(quote!.id)).toContain(
    '-H &#39;Content-Type: application/json&#39; -d &#39;{&quot;name&quot;:&quot;Ada&#39;\\&#39;&#39;s&quot;}&#39;',
  );
  expect(await lineOf(form!.id)).toContain('$SALLYPORT_API_KEY&quot; \\ -d &#39;grant_type=refresh_token&#39;');
});

test('the curl command for a request reads no local files, and sends brackets in a URL unchanged', async () => {
  const { emulator, open } = await startEmulator();
  const headers = { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' };
  await emulator.fetch('/organizations', { method: 'POST', headers, body: '@/etc/passwd' });
  await emulator.fetch('/organizations?domains[]=acme.test', { headers });
  const lines = await Promise.all(
    emulator.requests.list().map(async ({ id }) => (await open(`/_emulator/console/requests/${id}`)).words),
  );

  expect(lines[0]).not.toContain('/etc/passwd');
  expect(lines[1]).toContain('curl -g &#39;http://emulator.localhost/organizations?domains[]=acme.test&#39;');
});

test('requests can be filtered by method, status, operation, API key and text', async () => {
  const { send, open } = await startEmulator();
  await send('GET /organizations/org_acme');
  await send('GET /organizations/org_none');
  await send('POST /organizations', { name: 'Tailspin' });
  const linesOf = async (query: string) =>
    [...(await open(`/_emulator/console/requests?${query}`)).text.matchAll(/>((?:GET|POST) [^<]+)<\/a>/g)].map(
      ([, line]) => line,
    );

  expect(await linesOf('')).toEqual([
    'POST /organizations',
    'GET /organizations/org_none',
    'GET /organizations/org_acme',
  ]);
  expect(await linesOf('status=refused')).toEqual(['GET /organizations/org_none']);
  expect(await linesOf('status=2')).toEqual(['POST /organizations', 'GET /organizations/org_acme']);
  expect(await linesOf('method=changes')).toEqual(['POST /organizations']);
  expect(await linesOf('method=GET')).toEqual(['GET /organizations/org_none', 'GET /organizations/org_acme']);
  expect(await linesOf('operation=organizations.createOrganization')).toEqual(['POST /organizations']);
  expect(await linesOf('key=none')).toEqual([]);
  expect(await linesOf('key=default&status=4')).toEqual(['GET /organizations/org_none']);
  expect((await open('/_emulator/console/requests?key=none')).words).toContain('None of the 3 requests matches');
  expect(await linesOf('q=ORG_ACME')).toEqual(['GET /organizations/org_acme']);
});

test('the authorization page explains why access is granted or denied', async () => {
  const { open } = await startEmulator();
  const answerFor = async (subject: string, relation = 'viewer') =>
    (await open(`/_emulator/console/fga?${new URLSearchParams({ subject, relation, resource: 'report:7' })}`)).words;

  expect(await answerFor('user:ada')).toContain(
    'Yes : user:ada is viewer of report:7 . Granted by report:7#viewer@user:ada',
  );
  expect(await answerFor('user:grace')).toContain('No : user:grace is not viewer of report:7');
  expect(await answerFor('user:ada', 'owner')).toMatch(/The relation .*owner/);
  expect(await answerFor('nobody')).toContain('Write the subject and the resource as type and id');
});

test('a console page about an unknown object returns status 404', async () => {
  const { open } = await startEmulator();

  for (const path of [
    'users/user_none',
    'organizations/org_none',
    'directories/directory_none',
    'requests/req_none',
    'events/event_none',
  ])
    expect((await open(`/_emulator/console/${path}`)).status).toBe(404);
});

test("an organization's page shows the newest 100 members and domains, and the total numbers", async () => {
  const all = Array.from({ length: 101 }, (_, at) => at);
  const { open } = await startEmulator({
    seed: {
      organizations: [
        {
          id: 'org_acme',
          name: 'Acme',
          domain_data: all.map((at) => ({ domain: `d${at}.test`, state: 'verified' as const })),
        },
      ],
      users: all.map((at) => ({ id: `user_${at}`, email: `u${at}@acme.test` })),
      memberships: all.map((at) => ({ user_id: `user_${at}`, organization_id: 'org_acme' })),
    },
  });

  const { words } = await open('/_emulator/console/organizations/org_acme');

  expect(words).toContain('Members The newest 100 of 101. User Role Status u100@acme.test');
  expect(words).toContain('Domains The newest 100 of 101. Domain State ID Actions d100.test');
  expect([words.includes('u0@acme.test'), words.includes(' d0.test')]).toEqual([false, false]);
  expect((await open('/_emulator/console/users/user_0')).words).not.toContain('The newest');
});

test("the console shows a reference as a link with the object's name, or as an id if the object is deleted", async () => {
  const { emulator, send, open } = await startEmulator({ deliver: () => new Response(null) });
  await send('POST /webhook_endpoints', { endpoint_url: 'https://app.acme.test/hook', events: [] });
  await send('POST /organizations', { name: 'Tailspin' });
  await emulator.waitForDeliveries();
  const { endpointId, eventId } = emulator.deliveries[0]!;

  const before = await open('/_emulator/console/webhooks');
  await send(`DELETE /webhook_endpoints/${endpointId}`);
  const after = await open('/_emulator/console/webhooks');
  const user = await open('/_emulator/console/users/user_ada');

  expect(before.text).toContain(`<a href="/_emulator/console/events/${eventId}">organization.created</a>`);
  expect(before.words).toContain('organization.created https://app.acme.test/hook delivered 200 1');
  expect(after.words).toContain(`organization.created ${endpointId} delivered 200 1`);
  expect(user.text).toContain('<a href="/_emulator/console/organizations/org_acme">Acme</a>');
  expect(user.words).toContain('Email verified yes');
});

test('long lists in the console are paginated', async () => {
  const { open } = await startEmulator({
    seed: { organizations: Array.from({ length: 60 }, (_, at) => ({ id: `org_${at}`, name: `Company ${at}` })) },
  });

  const first = await open('/_emulator/console/organizations');
  const next = /href="([^"]+)">Older/.exec(first.text)![1]!;
  const second = await open(next.replaceAll('&amp;', '&'));

  expect(first.words).toContain('Company 59');
  expect(first.words).not.toContain('Company 9 ');
  expect(second.words).toContain('Company 9 ');
  expect(second.words).not.toContain('Older');
});

test('the console escapes names and does not show passwords', async () => {
  const { send, open } = await startEmulator();
  await send('POST /organizations', { name: '<script>alert(1)</script>' });
  await send('POST /user_management/users', { email: 'grace@acme.test', password: 'hunter2 hunter2' });

  const pages = ['/', '/_emulator/console/organizations', '/_emulator/console/requests', '/_emulator/console/events'];
  for (const path of pages) {
    const { text } = await open(path);
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('a quiet harbour at dawn');
  }
});

test('the console shows the production environment if the URL contains the production client ID', async () => {
  const { emulator, open } = await startEmulator({
    production: { seed: { organizations: [{ name: 'Live customer' }] } },
  });
  const { clientId } = emulator.production.credentials;

  const page = await open(`/_emulator/console/organizations?client_id=${clientId}`);

  expect(page.words).toContain('Live customer');
  expect(page.words).not.toContain('Acme');
  expect(page.text).toContain(`href="/_emulator/console/users?client_id=${clientId}"`);
});

test('console pages open only under local host names, and do not appear in the list of requests', async () => {
  const { emulator, open } = await startEmulator();
  const { port } = new URL(await emulator.listen());
  await open('/');

  const statusUnder = (host: string) =>
    new Promise((resolve, reject) => {
      const headers = { host, accept: 'text/html' };
      get({ host: '127.0.0.1', port, path: '/', headers }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });

  expect([await statusUnder(`localhost:${port}`), await statusUnder('evil.test')]).toEqual([200, 403]);
  expect(emulator.requests.list()).toEqual([]);
});

/** A browser that keeps its cookies and sends the forms of a page. */
async function visitor(options: EmulatorOptions = {}) {
  const { emulator } = await startEmulator(options);
  let cookie = '';
  const request = async (path: string, init: RequestInit = {}) => {
    const headers = { accept: 'text/html', cookie, ...(init.headers as Record<string, string>) };
    const response = await emulator.fetch(path, { redirect: 'manual', ...init, headers });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
  const submit = async (path: string, button: string, typed: Readonly<Record<string, string>> = {}) => {
    const page = await (await request(path)).text();
    const form = page.split('<form').find((one) => one.includes(`>${button}</button>`))!;
    const fields = [...form.matchAll(/<input[^>]* name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!.replaceAll('&amp;', '&'),
    ]);
    const [, name, value] = / name="([^"]+)" value="([^"]+)">$/.exec(form.split(`${button}</button>`)[0]!) ?? [];
    const pressed = name && value ? { [name]: value } : {};
    const body = new URLSearchParams({ ...Object.fromEntries(fields), ...typed, ...pressed }).toString();
    const action = /action="([^"]+)"/.exec(form)![1]!.replaceAll('&amp;', '&');
    return request(action, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });
  };
  return { emulator, request, submit };
}

test('a form on the overview page advances the clock and redirects back to the page', async () => {
  const { emulator, submit } = await visitor();

  const answer = await submit('/', 'Advance clock', { by: '31d' });

  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  expect(emulator.clock.iso()).toBe('2026-02-01T00:00:00.000Z');
});

test('a fault can be added and removed on the faults page, which shows the curl command for the removal', async () => {
  const { emulator, request, submit } = await visitor();

  await submit('/_emulator/console/faults', 'Add fault', { operation: 'organizations.list', status: '502' });
  const begun = emulator.faults.list();
  const page = await (await request('/_emulator/console/faults')).text();
  await submit('/_emulator/console/faults', 'Remove');

  expect(begun).toMatchObject([{ operation: 'organizations.list', status: 502, times: 1 }]);
  expect(page).toContain(`curl -X DELETE &#39;http://emulator.localhost/_emulator/faults/${begun[0]!.id}&#39;`);
  expect(emulator.faults.list()).toEqual([]);
});

test("a domain can be verified on the organization's page, and a directory user can be added on the directory's page", async () => {
  const { emulator, submit } = await visitor({
    seed: {
      ...seed,
      organizations: [{ id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'pending' }] }],
    },
  });
  const events: string[] = [];
  emulator.onEvent(({ event, context }) =>
    events.push(`${event} by ${(context.actor as { readonly source: string }).source}`),
  );

  await submit('/_emulator/console/organizations/org_acme', 'Verify');
  await submit('/_emulator/console/directories/directory_acme', 'Add', { email: 'linus@acme.test' });

  expect(events.some((event) => event.startsWith('organization_domain.verified'))).toBe(true);
  expect(events.some((event) => event.startsWith('dsync.user.created'))).toBe(true);
});

test("an id that looks like a number remains a string in the console's curl commands", async () => {
  const { emulator, send, open } = await startEmulator({
    seed: {
      organizations: [
        { id: '7', name: 'Seven' },
        { id: '8', name: 'Eight' },
      ],
      users: [{ id: 'user_ada', email: 'ada@acme.test' }],
      memberships: ['7', '8'].map((organization_id) => ({ user_id: 'user_ada', organization_id })),
      directories: [{ id: '42', name: 'Staff', type: 'okta scim v2.0', organization_id: '7' }],
    },
  });
  const bodyOn = async (path: string, of: string): Promise<unknown> => {
    const { words } = await open(`/_emulator/console/${path}`);
    const text = words.slice(words.indexOf(of));
    return JSON.parse(/-d &#39;(.*?)&#39;/.exec(text)![1]!.replaceAll('&quot;', '"'));
  };
  const directoryUser = await bodyOn('directories/42', 'directory_users');

  const added = await send('POST /_emulator/directory_users', {
    ...(directoryUser as object),
    email: 'grace@acme.test',
  });

  expect(directoryUser).toEqual({ directory_id: '42' });
  expect(added.status).toBe(200);
  expect(await bodyOn('users/user_ada', 'sign_in')).toEqual({ organization_id: '7' });
  expect(await bodyOn('faults', 'faults')).toEqual({ status: 503, times: 1 });
  expect(emulator.faults.list()).toEqual([]);
});

test('a console form does not change text that looks like a number', async () => {
  const { emulator, submit } = await visitor();

  await submit('/_emulator/console/directories/directory_acme', 'Add', {
    email: 'linus@acme.test',
    first_name: '0123',
    last_name: '1e5',
  });
  const { data } = (await (
    await emulator.fetch('/directory_users?directory=directory_acme', {
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
    })
  ).json()) as { readonly data: readonly unknown[] };

  expect(data[0]).toMatchObject({ first_name: '0123', last_name: '1e5' });
});

test('a console request with an unknown client ID returns 404 and changes nothing', async () => {
  const { emulator, request, submit } = await visitor();
  const query = '?client_id=client_forgotten';

  const statuses = await Promise.all(
    ['/', '/_emulator/inbox', '/_emulator/console/users', '/_emulator/live'].map(async (path) => {
      const answer = await request(path + query);
      await answer.body?.cancel();
      return answer.status;
    }),
  );
  const page = await (await request('/')).text();
  const formToken = /name="form_token" value="([^"]+)"/.exec(page)![1]!;
  const moved = await request(`/_emulator/console/controls/clock.advance${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ form_token: formToken, by: '1h' }).toString(),
  });

  expect([...statuses, moved.status]).toEqual([404, 404, 404, 404, 404]);
  expect(await moved.text()).toContain('No world has the client ID in this address');
  expect(emulator.clock.iso()).toBe('2026-01-01T00:00:00.000Z');
  expect((await submit('/', 'Advance clock', { by: '1h' })).status).toBe(303);
});

test('a console form shows errors from a control, and requires a valid form token', async () => {
  const { emulator, request, submit } = await visitor();

  const refused = await submit('/', 'Advance clock', { by: 'tomorrow' });
  const forged = await request('/_emulator/console/controls/reset', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'form_token=guessed',
  });
  const elsewhere = await submit('/', 'Advance clock', { by: '1s', back: '//evil.test/' });

  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('by must be');
  expect(forged.status).toBe(403);
  expect(elsewhere.headers.get('location')).toBe('/');
  expect(emulator.clock.iso()).toBe('2026-01-01T00:00:01.000Z');
});

test('the list of requests is paginated, and the link to the next page keeps the filter', async () => {
  const { send, open } = await startEmulator();
  for (let sent = 0; sent < 130; sent++) await send(`GET /organizations/org_${sent}`);
  await send('POST /organizations', { name: 'Tailspin' });

  const first = await open('/_emulator/console/requests?method=GET');
  const next = /href="([^"]+)">Older/.exec(first.text)![1]!.replaceAll('&amp;', '&');
  const second = await open(next);

  expect(first.words).toContain('/organizations/org_30 ');
  expect(first.words).not.toContain('/organizations/org_29 ');
  expect(second.words).toContain('/organizations/org_29 ');
  expect(second.words).not.toContain('POST /organizations');
});

describe('the console\'s "Send again" button', () => {
  const again = async (
    send: (emulator: Emulator, headers: Readonly<Record<string, string>>) => Promise<unknown>,
    button = 'Send again',
  ) => {
    const { emulator, submit, request } = await visitor();
    await send(emulator, {
      authorization: `Bearer ${emulator.credentials.apiKey}`,
      'content-type': 'application/json',
    });
    const before = emulator.requests.list().at(-1)!;
    const answer = await submit(`/_emulator/console/requests/${before.id}`, button);
    const now = emulator.requests.list();
    const page = await (await request(answer.headers.get('location')!)).text();
    return { emulator, before, after: now.at(-1)!, count: now.length, answer, page };
  };
  const create =
    (headers: Readonly<Record<string, string>> = {}) =>
    (emulator: Emulator, own: object) =>
      emulator.fetch('/organizations', {
        method: 'POST',
        headers: { ...own, ...headers },
        body: '{"name":"Tailspin"}',
      });

  test('repeats a request with the same API key, and redirects to the new request', async () => {
    const { after, before, count, answer, page } = await again(create());

    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/_emulator/console/requests/${after.id}`]);
    expect([count, after.status, after.apiKey, after.events.length]).toEqual([2, 200, 'sk_…ator', 1]);
    expect(after.responseBody).not.toBe(before.responseBody);
    expect(page).toContain('POST /organizations');
  });

  test('sends the same idempotency key, but "Send as a new request" omits the key', async () => {
    const same = await again(create({ 'idempotency-key': 'once' }));
    const fresh = await again(create({ 'idempotency-key': 'once' }), 'Send as a new request');

    expect([same.after.idempotencyKey, same.after.responseBody]).toEqual(['once', same.before.responseBody]);
    expect(fresh.after.idempotencyKey).toBeNull();
    expect(fresh.after.responseBody).not.toBe(fresh.before.responseBody);
  });

  test('repeats the secrets of a request without displaying them', async () => {
    const { after, page, emulator } = await again((emulator) =>
      emulator.fetch('/user_management/authenticate', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'password',
          client_id: emulator.credentials.clientId,
          client_secret: emulator.credentials.apiKey,
          email: 'ada@acme.test',
          password: 'a quiet harbour at dawn',
        }),
      }),
    );

    expect([after.status, after.clientMethod]).toEqual([200, 'userManagement.authenticateWithPassword']);
    expect(page).toContain('authenticateWithPassword({ email: &#39;ada@acme.test&#39;, password: &#39;…&#39; })');
    for (const secret of ['a quiet harbour', emulator.credentials.apiKey]) expect(page).not.toContain(secret);
  });

  test('is missing if a browser sent the request or the body was too long to store', async () => {
    const { emulator, request } = await visitor();
    await emulator.fetch('/hosted/sign-in', { headers: { accept: 'text/html' } });
    await emulator.fetch('/organizations', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(70_000) }),
    });
    const pages = await Promise.all(
      emulator.requests.list().map(async ({ id }) => (await request(`/_emulator/console/requests/${id}`)).text()),
    );

    expect(pages[0]).toContain('A browser sent it with its cookies');
    expect(pages[1]).toContain('too long to be stored.');
    for (const page of pages) expect(page).not.toContain('Send again');
  });

  test('requires the form token of the page', async () => {
    const { emulator, request } = await visitor();
    await create()(emulator, {
      authorization: `Bearer ${emulator.credentials.apiKey}`,
      'content-type': 'application/json',
    });
    const [{ id } = { id: '' }] = emulator.requests.list();

    const forged = await request(`/_emulator/console/requests/${id}/again`, { method: 'POST' });

    expect([forged.status, emulator.requests.list().length]).toEqual([403, 1]);
  });
});

test("a fault added on a request's page makes the next request for the same operation fail", async () => {
  const { emulator, submit } = await visitor();
  const headers = { authorization: `Bearer ${emulator.credentials.apiKey}` };
  const list = () => emulator.fetch('/organizations', { headers });
  await list();

  await submit(`/_emulator/console/requests/${emulator.requests.list()[0]!.id}`, 'Add fault', { status: '429' });

  expect([(await list()).status, (await list()).status]).toEqual([429, 200]);
});

describe("on a user's page in the console,", () => {
  const page = '/_emulator/console/users/user_ada';

  test('the "Get tokens" button signs in as the user and shows the tokens', async () => {
    const { emulator, submit } = await visitor();

    const answer = await submit(page, 'Get tokens');
    const text = (await answer.text()).replaceAll('&quot;', '"');

    expect(answer.status).toBe(200);
    expect(text).toMatch(/"access_token": "eyJ[\w.-]+"/);
    expect(text).toContain('"organization_id": "org_acme"');
    expect(emulator.requests.list()).toEqual([]);
  });

  test('the "Open the application" button signs in as the user and redirects with a valid code', async () => {
    const { emulator, submit, request } = await visitor({
      seed: { ...seed, redirect_uris: ['http://localhost:3000/callback'] },
    });

    const answer = await submit(page, 'Open the application');
    const location = new URL(answer.headers.get('location')!);
    const signedIn = await emulator.fetch('/user_management/authenticate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'authorization_code',
        client_id: emulator.credentials.clientId,
        client_secret: emulator.credentials.apiKey,
        code: location.searchParams.get('code'),
      }),
    });

    expect(location.origin + location.pathname).toBe('http://localhost:3000/callback');
    expect(await signedIn.json()).toMatchObject({ user: { id: 'user_ada' }, organization_id: 'org_acme' });
    expect((await request(page)).headers.get('content-security-policy')).toContain(
      "form-action 'self' http://localhost:*",
    );
  });

  test('instructions for registering a redirect URI appear until the application has used one', async () => {
    const { emulator, request } = await visitor();
    const before = await (await request(page)).text();
    const asked = new URLSearchParams({
      client_id: emulator.credentials.clientId,
      redirect_uri: 'http://localhost:4321/back',
      response_type: 'code',
      provider: 'authkit',
    });
    await emulator.fetch(`/user_management/authorize?${asked}`, { redirect: 'manual' });
    const after = await (await request(page)).text();

    expect(before).toContain('register a redirect URI');
    expect(before).not.toContain('Open the application');
    expect(after).toContain('Redirects to <code>http://localhost:4321/back</code>');
  });

  test.each([
    ['End', 'revoked', ['session.revoked']],
    ['Expire', 'expired', []],
  ])('the "%s" button ends a session', async (button, status, events) => {
    const { emulator, submit, request } = await visitor();
    const session = await emulator.signInAs('user_ada', {});
    const happened: string[] = [];
    emulator.onEvent(({ event }) => happened.push(event));

    await submit(page, button);
    const words = wordsOf(await (await request(page)).text());

    const refreshed = await emulator.fetch('/user_management/authenticate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'refresh_token',
        client_id: emulator.credentials.clientId,
        client_secret: emulator.credentials.apiKey,
        refresh_token: session.refreshToken,
      }),
    });
    expect(words).toContain(` Password Acme ${status} `);
    expect([happened, refreshed.status]).toEqual([events, 400]);
  });
});

test("an event can be redelivered from the event's page", async () => {
  let received = 0;
  const { emulator, submit } = await visitor({
    deliver: () => {
      received += 1;
      return new Response(null);
    },
  });
  const headers = { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    emulator.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/webhook_endpoints', { endpoint_url: 'https://app.acme.test/hook', events: [] });
  await post('/organizations', { name: 'Tailspin' });
  await emulator.waitForDeliveries();
  const eventId = emulator.deliveries[0]!.eventId;

  await submit(`/_emulator/console/events/${eventId}`, 'Redeliver');

  expect(received).toBe(2);
});

test("the overview page describes the world's seed, and links to every other world", async () => {
  const { emulator, open } = await startEmulator({ seed: 'examples/company.yaml' });
  const { name } = await emulator.worlds.create({ name: 'w7', seed: { users: [{ email: 'linus@acme.test' }] } });

  const first = await open('/');
  const worldLink = /href="([^"]+)">w7</.exec(first.text)![1]!.replaceAll('&amp;', '&');
  const sent = await emulator.fetch(worldLink, { headers: { accept: 'text/html' }, redirect: 'manual' });
  const world = await open(sent.headers.get('location')!);
  const production = await open(/href="([^"]+)">Production</.exec(first.text)![1]!.replaceAll('&amp;', '&'));

  expect(name).toBe('w7');
  expect(first.words).toContain(
    'Seed examples/company.yaml : 2 api keys, 2 redirect uris, 3 roles, 4 organizations, 5 users',
  );
  expect(world.words).toContain('Seed an object: 1 user');
  expect(world.words).toContain('Seeded users linus@acme.test');
  expect(world.text).toContain('<h1>w7</h1>');
  expect(production.text).toContain('<h1>Production</h1>');
  expect(production.text).toContain('<a href="/">Staging</a>');
});
