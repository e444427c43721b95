// The cost of client-side limits per call, and how much of a limit fifty lists use without a rejected request.
import { report } from './harness/report.mjs';
import { startService } from './harness/service.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const { createEmulator } = await load('emulator.js');

const figures = {};
const apiKey = 'sk_test_bench';
const id = 'org_01HZX3V7Q8M2T4B600000000';
/** Make `count` calls, `atOnce` of them concurrently. */
async function callsOf(call, count, atOnce) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

// Make one call at a time and fifty at a time, and compare with a client without limits. The limit is never reached.
const service = await startService({ records: 100 });
const unreached = { all_requests: { requests: 100_000_000, windowMs: 60_000 } };
const modes = {
  none: undefined,
  observed: { mode: 'observed', limits: unreached },
  published: { mode: 'published', limits: unreached },
};
const costs = [];
for (const [key, atOnce] of Object.entries({ one: 1, fifty: 50 })) {
  const count = 200;
  const contenders = Object.fromEntries(
    Object.entries(modes).map(([name, limits]) => {
      const { organizations } = new Sallyport({ apiKey, baseUrl: service.url, limits });
      return [name, () => timed(() => callsOf(() => organizations.getOrganization(id), count, atOnce))];
    }),
  );
  const samples = await takeTurns(contenders, quick ? { rounds: 5 } : { rounds: 60, warmUp: 10 });
  for (const name of Object.keys(modes)) {
    const over = name === 'none' ? Number.NaN : ratio(samples, name, 'none', 'cpuMs');
    if (name !== 'none') figures[`limits.${key}.overNone.${name}`] = over;
    costs.push([`${atOnce} at a time, limits: ${name}`, (typical(samples, name, 'cpuMs') / count) * 1_000, over]);
  }
}
service.stop();

// List ten directories fifty times. The emulator allows four requests per second for each directory, and rejects the fifth.
const walksEach = 5;
const pages = quick ? 2 : 10;
const emulator = await createEmulator({ rateLimits: true });
const directories = [];
for (let at = 0; at < 10; at++) {
  const { id: directoryId } = await emulator.createDirectory({ name: `Directory ${at}`, type: 'okta scim v2.0' });
  for (let user = 0; user < pages * 5; user++)
    await emulator.createDirectoryUser({ directoryId, email: `user-${user}@d${at}.test` });
  directories.push(directoryId);
}
const baseUrl = await emulator.listen(0);
const sentTo = new Map(directories.map((one) => [one, []]));
let refused = 0;
const recording = async (input, init) => {
  sentTo.get(new URL(String(input)).searchParams.get('directory')).push(performance.now());
  const answer = await fetch(input, init);
  if (answer.status === 429) refused += 1;
  return answer;
};
const walker = new Sallyport({
  apiKey: emulator.credentials.apiKey,
  baseUrl,
  limits: 'published',
  fetch: recording,
  deadlineMs: 600_000,
});
await Promise.all(
  directories.flatMap((directory) =>
    Array.from({ length: walksEach }, async () => {
      let users = 0;
      for await (const _ of walker.directorySync.listUsers({ directory, limit: 5 })) users += 1;
      if (users !== pages * 5) throw new Error(`A list returned ${users} of ${pages * 5} users`);
    }),
  ),
);
await emulator.close();
// Measure from the first request to the first of the last window, so that all windows are complete.
const perSecond = 4;
const shares = [...sentTo.values()].map((times) => {
  const whole = Math.floor((times.length - 1) / perSecond) * perSecond;
  return whole / ((times[whole] - times[0]) / 1_000) / perSecond;
});
figures['limits.walks.leastShare'] = Math.min(...shares);
figures['limits.walks.refused'] = refused;
const requests = [...sentTo.values()].reduce((sum, { length }) => sum + length, 0);

report('limits', {
  figures,
  tables: [
    {
      title: 'CPU per call, microseconds',
      columns: [
        ['CPU', 0],
        ['without limits = 1', 2],
      ],
      rows: costs,
    },
    {
      title: 'Fifty lists of ten directories, each limited to four requests per second',
      columns: [
        ['requests', 0],
        ['rejected with 429', 0],
        ['minimum use of a limit', 3],
        ['median use', 3],
      ],
      rows: [["limits: 'published'", requests, refused, Math.min(...shares), [...shares].sort((a, b) => a - b)[5]]],
    },
  ],
});
