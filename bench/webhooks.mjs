// Verify and parse a webhook of 1 KB and 64 KB, compared with hand-written code on node:crypto; then receive a request with one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { webhookByNode } from './harness/node-crypto.mjs';
import { stripe, workos } from './harness/peers.mjs';
import { report } from './harness/report.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const { receive, verifyWebhook } = await load('webhooks.js');
const { memoryStore } = await load('stores.js');
const secret = 'whsec_bench_0123456789abcdef';
const nowhere = 'http://127.0.0.1:1';
const clients = {
  workos: workos(nowhere),
  stripe: stripe(nowhere),
  sallyport: new Sallyport({ apiKey: 'sk_test_bench', clientId: 'client_bench', baseUrl: nowhere }),
};
const byNode = webhookByNode(secret);

/** Build a `dsync.user.created` event of about this many bytes, as the service sends it. */
function eventOf(bytes) {
  const data = {
    object: 'directory_user',
    id: 'directory_user_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    directory_id: 'directory_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    organization_id: 'org_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    idp_id: '8931',
    email: 'ada@acme.test',
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: [{ primary: true, type: 'work', value: 'ada@acme.test' }],
    state: 'active',
    raw_attributes: {},
    custom_attributes: {},
    groups: [],
    created_at: '2024-06-25T19:07:33.155Z',
    updated_at: '2024-06-25T19:07:33.155Z',
  };
  const event = {
    id: 'event_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    event: 'dsync.user.created',
    data,
    created_at: data.created_at,
  };
  for (let field = 0; JSON.stringify(event).length < bytes - 40; field++)
    data.raw_attributes[`field_${field}`] = `value of field ${field}`;
  return JSON.stringify(event);
}

const sign = (text, timestamp) => createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex');

/** Do the minimum: hash, compare in constant time, parse. */
function byHand(text, header) {
  const [time, signature] = header.split(',').map((part) => part.trim().split('=')[1]);
  if (Math.abs(Date.now() - Number(time)) > 180_000) throw new Error('too old');
  if (!timingSafeEqual(Buffer.from(sign(text, time)), Buffer.from(signature))) throw new Error('not signed');
  return JSON.parse(text);
}

const figures = {};
const tables = [];
function nothing() {}

/** Run each contender this many times, in turns, and add a table of the results. */
async function compare(key, title, count, checks) {
  const contenders = Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [
      name,
      () =>
        timed(async () => {
          for (let done = 0; done < count; done++) await check(done);
        }),
    ]),
  );
  const samples = await takeTurns(contenders, quick ? { rounds: 3 } : { rounds: 30, warmUp: 3 });
  const rows = Object.keys(checks).map((name) => [
    name,
    (typical(samples, name, 'cpuMs') / count) * 1000,
    ratio(samples, name, 'hand-written node:crypto', 'cpuMs'),
    ratio(samples, name, 'node:crypto, kept keys', 'cpuMs'),
    count / (typical(samples, name, 'wallMs') / 1000),
  ]);
  for (const [name, , over, overKept] of rows) {
    figures[`${key}.${name}`] = over;
    figures[`kept.${key}.${name}`] = overKept;
  }
  tables.push({
    title,
    columns: [
      ['CPU', 1],
      ['x hand-written', 2],
      ['x kept keys', 2],
      ['checks per second', 0],
    ],
    rows,
  });
}

for (const [size, bytes, count] of [
  ['1 KB', 1024, 2000],
  ['64 KB', 65536, 200],
]) {
  const text = eventOf(bytes);
  // Stripe signs in the same way, but with seconds instead of milliseconds.
  const now = Date.now() + 120_000;
  const header = `t=${now}, v1=${sign(text, now)}`;
  const stripeNow = Math.floor(now / 1000);
  const stripeHeader = `t=${stripeNow},v1=${sign(text, stripeNow)}`;
  const checks = {
    'hand-written node:crypto': () => byHand(text, header),
    'node:crypto, kept keys': () => byNode(text, header),
    sallyport: () => verifyWebhook({ payload: text, sigHeader: header, secret }),
    'sallyport, constructEvent': () =>
      clients.sallyport.webhooks.constructEvent({ payload: text, sigHeader: header, secret }),
    'stripe 23.1.0': () => clients.stripe.webhooks.constructEvent(text, stripeHeader, secret, 3600),
    '@workos-inc/node 11.0.0': () =>
      clients.workos.webhooks.constructEvent({ payload: text, sigHeader: header, secret }),
  };
  await compare(
    `webhooks.${size}`,
    `Verifying a ${size} webhook, one at a time: microseconds per check`,
    count,
    checks,
  );

  // The store remembers handled ids, so each delivery of a round has a new id.
  const deliveries = Array.from({ length: count }, (_, at) => {
    const body = Buffer.from(text.replace('event_01HZX3V7Q8M2T4B6C8D0E2F4G6', `event_${at}`));
    const stamp = now + at;
    return { body, headers: { 'service-signature': `t=${stamp}, v1=${sign(body, stamp)}` } };
  });
  const asRequest = (at) => new Request('https://app.acme.test/', { method: 'POST', ...deliveries[at] });
  // Like a request in Express after express.raw().
  const asExpress = (at) => ({ ...deliveries[at], on: nothing, off: nothing });
  const handler = nothing;
  const options = { secret, handler };
  let once = memoryStore();
  const afresh = (at) => {
    if (at === 0) once = memoryStore();
    return once;
  };
  await compare(
    `webhooks.request ${size}`,
    `Receiving a ${size} webhook as a fetch Request: microseconds each`,
    count,
    {
      'hand-written node:crypto': async (at) => {
        const request = asRequest(at);
        return handler(byHand(await request.text(), request.headers.get('service-signature')));
      },
      'node:crypto, kept keys': async (at) => {
        const request = asRequest(at);
        return handler(byNode(await request.text(), request.headers.get('service-signature')));
      },
      'sallyport, verifyWebhook': async (at) => {
        const request = asRequest(at);
        const sigHeader = request.headers.get('service-signature');
        return handler(await verifyWebhook({ payload: await request.text(), sigHeader, secret }));
      },
      'sallyport, receive': (at) => receive(asRequest(at), options),
      'sallyport, receive with once': (at) => receive(asRequest(at), { ...options, store: afresh(at) }),
    },
  );
  await compare(`webhooks.express ${size}`, `Receiving a ${size} webhook in Express: microseconds each`, count, {
    'hand-written node:crypto': (at) => {
      const { body, headers } = asExpress(at);
      return handler(byHand(body, headers['service-signature']));
    },
    'node:crypto, kept keys': (at) => {
      const { body, headers } = asExpress(at);
      return handler(byNode(body, headers['service-signature']));
    },
    'sallyport, verifyWebhook': async (at) => {
      const { body, headers } = asExpress(at);
      return handler(await verifyWebhook({ payload: body, sigHeader: headers['service-signature'], secret }));
    },
    'sallyport, receive': (at) => receive(asExpress(at), options),
    'sallyport, receive with once': (at) => receive(asExpress(at), { ...options, store: afresh(at) }),
  });
}
report('webhooks', { figures, tables });
