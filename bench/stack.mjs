// The cost of error stacks that point to the caller's line, while no call fails: capture the stack before each call, or leave it
// to the engine, which follows the awaited promises.
import { report } from './harness/report.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const id = 'org_01HZX3V7Q8M2T4B600000000';
const now = '2026-01-01T00:00:00.000Z';
const organization = { object: 'organization', id, name: 'Acme', domains: [], created_at: now, updated_at: now };
const body = JSON.stringify({ ...organization, allow_profiles_outside_organization: false });
const answer = async () => new Response(body, { headers: { 'content-type': 'application/json' } });
const { organizations } = new Sallyport({ apiKey: 'sk_test_bench', baseUrl: 'https://api.acme.test', fetch: answer });

let taken;
/** Capture the caller's stack with this many frames, then call. */
const captured = (frames) => () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  taken = new Error();
  Error.stackTraceLimit = limit;
  return organizations.getOrganization(id);
};
const calls = {
  'no capture': () => organizations.getOrganization(id),
  'an error with 10 frames before each call': captured(10),
  'an error with 4 frames before each call': captured(4),
  'captureStackTrace before each call': () => {
    taken = {};
    Error.captureStackTrace(taken);
    return organizations.getOrganization(id);
  },
};

const count = 200;
const series = (call) =>
  timed(async () => {
    for (let i = 0; i < count; i++) await call();
  });
const contenders = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, () => series(call)]));
const samples = await takeTurns(contenders, quick ? { rounds: 5 } : { rounds: 100, warmUp: 20 });
const plain = 'no capture';

report('stack', {
  tables: [
    {
      title: 'Stacks that point to the caller, without failures: microseconds per call with an in-process fetch',
      columns: [
        ['CPU', 1],
        ['x no capture', 3],
      ],
      rows: Object.keys(calls).map((name) => [
        name,
        (typical(samples, name, 'cpuMs') / count) * 1000,
        ratio(samples, name, plain, 'cpuMs'),
      ]),
    },
  ],
});
void taken;
