import { expect } from 'vitest';
import type { Place, Row } from './row.js';

const start = '2026-01-01T00:00:00.000Z';
const mailTo = (email: string) => (place: Place) => place.send('POST /user_management/magic_auth/send', { email });
const mails = async ({ send }: Place) =>
  (await send('GET /_emulator/inbox')).body.data.map(({ to }: { readonly to: string }) => to);
const message = {
  kind: 'magic_auth',
  to: 'ada@acme.test',
  subject: 'Your sign-in code',
  sent_at: '2026-01-01T00:00:00.000Z',
};
const time = async ({ send }: Place) => (await send('POST /organizations', { name: 'Later' })).body.created_at;

const nextTwo = async ({ send }: Place) => {
  const answers = [await send('GET /organizations'), await send('GET /organizations')];
  return answers.map(({ status, headers }) => [status, headers.get('retry-after')]);
};

const requestsTo = async ({ send }: Place) =>
  (await send('GET /_emulator/requests')).body.data.map(
    ({ path, status }: { readonly path: string; readonly status: number }) => `${path} ${status}`,
  );

const emptySnapshot = { format: 'sallyport-snapshot', version: 1, worlds: { staging: {}, production: {} } };

/** Controls of the clock, the inbox, API keys and resets. */
export const worldRows: Readonly<Record<string, Row>> = {
  export: {
    inProcess: async ({ export: write }) => JSON.parse(await write({ format: 'json' })),
    request: ['GET /_emulator/export?format=json'],
    answer: { memberships: [{ user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'member' }] },
    shows: async () => undefined,
    then: undefined,
    refused: {
      inProcess: ({ export: write }) => write({ format: 'toml' as 'json' }),
      request: ['GET /_emulator/export?format=toml'],
      status: 422,
      code: 'validation_error',
      fields: ['format'],
    },
  },
  'clock.read': {
    inProcess: ({ clock }) => clock.read(),
    request: ['GET /_emulator/clock'],
    answer: { now: start },
    shows: time,
    then: start,
  },
  'clock.advance': {
    inProcess: ({ clock }) => clock.advance('31d'),
    request: ['POST /_emulator/clock/advance', { by: '31d' }],
    answer: { now: '2026-02-01T00:00:00.000Z' },
    shows: time,
    then: '2026-02-01T00:00:00.000Z',
    refused: {
      inProcess: ({ clock }) => clock.advance('tomorrow' as '1d'),
      request: ['POST /_emulator/clock/advance', { by: 'tomorrow' }],
      status: 422,
      code: 'invalid_value',
      fields: ['by'],
    },
  },
  'clock.set': {
    inProcess: ({ clock }) => clock.set(new Date('2026-05-04T08:00:00.000Z')),
    request: ['POST /_emulator/clock/set', { to: '2026-05-04T08:00:00.000Z' }],
    answer: { now: '2026-05-04T08:00:00.000Z' },
    shows: time,
    then: '2026-05-04T08:00:00.000Z',
    refused: {
      inProcess: ({ clock }) => clock.set('noon'),
      request: ['POST /_emulator/clock/set', { to: 'noon' }],
      status: 422,
      code: 'invalid_value',
      fields: ['to'],
    },
  },
  'clock.reset': {
    before: ({ emulator }) => emulator.clock.advance('1h'),
    inProcess: ({ clock }) => clock.reset(),
    request: ['POST /_emulator/clock/reset'],
    answer: { now: start },
    shows: time,
    then: start,
  },
  failNext: {
    inProcess: (emulator) => emulator.failNext('organizations.list', { status: 429, retryAfterMs: 7_000 }),
    request: ['POST /_emulator/failures/organizations.list', { status: 429, retry_after_ms: 7_000 }],
    shows: nextTwo,
    then: [
      [429, '7'],
      [200, null],
    ],
    refused: {
      inProcess: (emulator) => emulator.failNext('organizations.lost', { status: 429 }),
      request: ['POST /_emulator/failures/organizations.lost', { status: 429 }],
      status: 422,
      code: 'invalid_value',
      fields: ['operation'],
    },
  },
  'faults.add': {
    inProcess: ({ faults }) => faults.add({ path: '/organ*', status: 429, retryAfterMs: 7_000, share: 0.5 }),
    request: ['POST /_emulator/faults', { path: '/organ*', status: 429, retry_after_ms: 7_000, share: 0.5 }],
    answer: { id: expect.stringMatching(/^fault_/), path: '/organ*', status: 429, retry_after_ms: 7_000, share: 0.5 },
    shows: nextTwo,
    then: [
      [200, null],
      [429, '7'],
    ],
    refused: {
      inProcess: ({ faults }) => faults.add({ of: 'events', status: 429, delay: '5s' }),
      request: ['POST /_emulator/faults', { of: 'events', status: 429, delay: '5s' }],
      status: 422,
      code: 'mutually_exclusive',
      fields: ['status'],
    },
  },
  'faults.list': {
    before: ({ emulator }) => emulator.failNext('organizations.list', { times: 2 }),
    inProcess: ({ faults }) => faults.list(),
    request: ['GET /_emulator/faults'],
    answer: [{ operation: 'organizations.list', times: 2 }],
    shows: nextTwo,
    then: [
      [503, null],
      [503, null],
    ],
  },
  'faults.remove': {
    before: async ({ emulator }) => {
      await emulator.faults.add({ status: 500 });
      await emulator.faults.add({ status: 504 });
    },
    find: async ({ emulator }) => emulator.faults.list()[0]!.id,
    inProcess: ({ faults }, id) => faults.remove(id),
    request: ['DELETE /_emulator/faults/{id}'],
    shows: nextTwo,
    then: [
      [504, null],
      [504, null],
    ],
    refused: {
      inProcess: ({ faults }) => faults.remove('fault_none'),
      request: ['DELETE /_emulator/faults/fault_none'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  'faults.clear': {
    before: ({ emulator }) => emulator.failNext('*', { times: 1_000 }),
    inProcess: ({ faults }) => faults.clear(),
    request: ['DELETE /_emulator/faults'],
    shows: nextTwo,
    then: [
      [200, null],
      [200, null],
    ],
  },
  setRateLimit: {
    inProcess: (emulator) => emulator.setRateLimit('all_requests', { requests: 1, windowMs: 30_000 }),
    request: ['PUT /_emulator/rate_limits/all_requests', { requests: 1, window_ms: 30_000 }],
    shows: nextTwo,
    then: [
      [200, null],
      [429, '30'],
    ],
    refused: {
      inProcess: (emulator) => emulator.setRateLimit('all', { requests: -1 }),
      request: ['PUT /_emulator/rate_limits/all', { requests: -1 }],
      status: 422,
      code: 'validation_error',
      fields: ['requests'],
    },
  },
  clearRateLimit: {
    before: ({ emulator }) => emulator.setRateLimit('all_requests', { requests: 0 }),
    inProcess: (emulator) => emulator.clearRateLimit('all_requests'),
    request: ['DELETE /_emulator/rate_limits/all_requests'],
    shows: nextTwo,
    then: [
      [200, null],
      [200, null],
    ],
    refused: {
      inProcess: (emulator) => emulator.clearRateLimit('all'),
      request: ['DELETE /_emulator/rate_limits/all'],
      status: 422,
      code: 'invalid_value',
      fields: ['name'],
    },
  },
  'inbox.list': {
    before: async (place) => {
      await mailTo('grace@acme.test')(place);
      await mailTo('ada@acme.test')(place);
    },
    inProcess: ({ inbox }) => inbox.list({ to: 'ADA@acme.test' }),
    request: ['GET /_emulator/inbox?to=ADA@acme.test'],
    answer: [message],
    shows: mails,
    then: ['grace@acme.test', 'ada@acme.test'],
  },
  'inbox.latest': {
    before: mailTo('ada@acme.test'),
    inProcess: ({ inbox }) => inbox.latest('ada@acme.test'),
    request: ['GET /_emulator/inbox/latest?to=ada@acme.test'],
    answer: message,
    shows: mails,
    then: ['ada@acme.test'],
  },
  'inbox.waitFor': {
    before: mailTo('ada@acme.test'),
    inProcess: ({ inbox }) => inbox.waitFor({ to: 'ada@acme.test', kind: 'magic_auth' }),
    request: ['POST /_emulator/inbox/wait_for', { to: 'ada@acme.test', kind: 'magic_auth' }],
    answer: message,
    // The message was returned already, so the next wait finds none.
    shows: async ({ send }) => (await send('POST /_emulator/inbox/wait_for', { timeout_ms: 0 })).body.code,
    then: 'no_message',
    refused: {
      inProcess: ({ inbox }) => inbox.waitFor({ kind: 'invitation', timeoutMs: 0 }),
      request: ['POST /_emulator/inbox/wait_for', { kind: 'invitation', timeout_ms: 0 }],
      status: 404,
      code: 'no_message',
    },
  },
  'inbox.clear': {
    before: mailTo('ada@acme.test'),
    inProcess: ({ inbox }) => inbox.clear(),
    request: ['DELETE /_emulator/inbox'],
    shows: mails,
    then: [],
  },
  'requests.list': {
    before: async ({ send }) => {
      await send('GET /organizations/org_acme');
      await send('GET /organizations/org_none');
    },
    inProcess: ({ requests }) => requests.list({ status: 404 }),
    request: ['GET /_emulator/requests?status=404'],
    answer: [{ method: 'GET', path: '/organizations/org_none', operation: 'organizations.get', status: 404 }],
    shows: requestsTo,
    then: ['/organizations/org_acme 200', '/organizations/org_none 404'],
    refused: {
      inProcess: ({ requests }) => requests.list({ after: 'org_acme' }),
      request: ['GET /_emulator/requests?after=org_acme'],
      status: 422,
      code: 'invalid_value',
      fields: ['after'],
    },
  },
  'requests.clear': {
    before: async ({ send }) => {
      await send('GET /organizations/org_acme');
    },
    inProcess: ({ requests }) => requests.clear(),
    request: ['DELETE /_emulator/requests'],
    shows: requestsTo,
    then: [],
  },
  addApiKey: {
    inProcess: (emulator) => emulator.addApiKey({ value: 'sk_test_reports', deny: ['POST *'] }),
    request: ['POST /_emulator/api_keys', { value: 'sk_test_reports', deny: ['POST *'] }],
    shows: async ({ send }) => {
      const headers = { authorization: 'Bearer sk_test_reports' };
      const read = await send('GET /organizations/org_acme', undefined, headers);
      return [read.status, (await send('POST /organizations', { name: 'No' }, headers)).status];
    },
    then: [200, 403],
    refused: {
      inProcess: (emulator) => emulator.addApiKey({ value: 'a key' }),
      request: ['POST /_emulator/api_keys', { value: 'a key' }],
      status: 422,
      code: 'malformed_api_key',
      fields: ['value'],
    },
  },
  dropped: {
    inProcess: ({ dropped }) => dropped(),
    request: ['GET /_emulator/dropped'],
    answer: { events: 0, deliveries: 0, messages: 0, answers: 0 },
    shows: async ({ emulator }) => emulator.inbox.messages.length,
    then: 0,
  },
  snapshot: {
    before: async ({ send }) => {
      await send('DELETE /organizations/org_acme');
    },
    inProcess: (emulator) => emulator.snapshot(),
    request: ['POST /_emulator/snapshot'],
    answer: {
      format: 'sallyport-snapshot',
      version: 1,
      worlds: { staging: { organization: [['org_acme', null]] }, production: {} },
    },
    shows: async ({ send }) => (await send('GET /organizations')).body.data,
    then: [],
  },
  restore: {
    inProcess: (emulator) => emulator.restore(emptySnapshot),
    request: ['POST /_emulator/restore', emptySnapshot],
    shows: async ({ send }) => (await send('GET /organizations')).body.data,
    then: [],
    refused: {
      inProcess: (emulator) => emulator.restore({ ...emptySnapshot, version: 2 }),
      request: ['POST /_emulator/restore', { ...emptySnapshot, version: 2 }],
      status: 422,
      code: 'invalid_snapshot',
    },
  },
  reset: {
    before: ({ send }) => send('DELETE /organizations/org_acme'),
    inProcess: (emulator) => emulator.reset({ seed: { organizations: [{ id: 'org_acme', name: 'Acme again' }] } }),
    request: ['POST /_emulator/reset', { seed: { organizations: [{ id: 'org_acme', name: 'Acme again' }] } }],
    shows: async ({ send }) => (await send('GET /organizations/org_acme')).body.name,
    then: 'Acme again',
    refused: {
      // JavaScript callers may pass anything.
      inProcess: (emulator) => emulator.reset({ seed: { users: [{}] } as object }),
      request: ['POST /_emulator/reset', { seed: { users: [{}] } }],
      status: 422,
      code: 'invalid_seed',
    },
  },
};
