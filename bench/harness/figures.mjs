// The figures that this project targets, and their table for the README.

const atMost = (target, digits = 2) => ({ target: `<= ${target}`, holds: (value) => value <= target, digits });
const atLeast = (target, digits = 2) => ({ target: `>= ${target}`, holds: (value) => value >= target, digits });
const exactly = (target) => ({ target: `exactly ${target}`, holds: (value) => value === target, digits: 0 });

/** The rows: label, key of our figure, target, and the key prefix of the peers' figures. */
export const figures = [
  {
    measure: 'List 10,000 records, idle consumer; raw fetch loop = 1',
    key: 'list.idle.sallyport',
    ...atMost(1.02),
    peers: 'list.idle.',
  },
  {
    measure: 'List 10,000 records, busy consumer; raw fetch loop = 1',
    key: 'list.busyOverRaw.sallyport',
    ...atMost(0.57),
    peers: 'list.busyOverRaw.',
  },
  {
    measure: 'List 10,000 records, busy consumer; max(network, consumer) = 1',
    key: 'list.busy.sallyport',
    ...atMost(1.08),
    peers: 'list.busy.',
  },
  {
    measure: 'Requests to list 10,000 records',
    key: 'list.requests.sallyport',
    ...exactly(100),
    peers: 'list.requests.',
  },
  {
    measure: 'Decode a page of 100 organizations and check all known fields; JSON.parse = 1',
    key: 'decode',
    ...atMost(1.2),
  },
  ...[
    ['one', 'one at a time'],
    ['fifty', 'fifty at a time'],
  ].flatMap(([key, howMany]) => [
    {
      measure: `CPU of a call, ${howMany}; bare ky = 1`,
      key: `call.${key}.overKy.sallyport`,
      ...atMost(1.03),
      peers: `call.${key}.overKy.`,
    },
    {
      measure: `CPU of a call, ${howMany}; ky called like the client does = 1`,
      key: `call.${key}.overKySoCalled.sallyport`,
      ...atMost(1.03),
    },
  ]),
  ...[
    ['post', 'a POST with a body of 200 bytes'],
    ['signal', 'one signal for all calls'],
  ].map(([key, kind]) => ({
    measure: `CPU of a call, ${kind}; bare ky = 1`,
    key: `call.${key}.overKy.sallyport`,
    ...atMost(1.03),
    peers: `call.${key}.overKy.`,
  })),
  {
    measure: 'Process start to first response, ESM; raw fetch = 1',
    key: 'cold.sallyport',
    ...atMost(1.3),
    peers: 'cold.',
  },
  {
    measure: 'Import of `sallyport`, minus bare Node, ESM, ms',
    key: 'import.esm.sallyport',
    ...atMost(9, 1),
    peers: 'import.esm.',
  },
  {
    measure: 'Import of `sallyport`, minus bare Node, CJS, ms',
    key: 'import.cjs.sallyport',
    ...atMost(9, 1),
    peers: 'import.cjs.',
  },
  {
    measure: 'Type check of a program that imports `sallyport`; @workos-inc/node = 1',
    key: 'types.sallyport',
    ...atMost(1.1),
    peers: 'types.',
  },
  {
    measure: 'Client before its first call, gzip KiB',
    key: 'size.sallyport, client before its first call',
    ...atMost(28, 1),
    peers: 'size.',
  },
  {
    measure: 'Client after its first call, with ky and one resource, gzip KiB',
    key: 'size.sallyport, client after its first call',
    ...atMost(32, 1),
    peers: 'size.',
  },
  {
    measure: 'Client in a single file, gzip KiB',
    key: 'size.sallyport, client with all resources',
    ...atMost(56, 1),
    peers: 'size.',
  },
  ...[
    ['1 KB', 1.15],
    ['64 KB', 1.1],
  ].map(([size, most]) => ({
    measure: `CPU of verifying a ${size} webhook; hand-written node:crypto = 1`,
    key: `webhooks.${size}.sallyport`,
    ...atMost(most),
    peers: `webhooks.${size}.`,
  })),
  ...[
    ['1 KB', 1.6],
    ['64 KB', 1.15],
  ].map(([size, most]) => ({
    measure: `CPU of verifying a ${size} webhook with the client; node:crypto, kept keys = 1`,
    key: `kept.webhooks.${size}.sallyport, constructEvent`,
    ...atMost(most),
  })),
  { measure: 'Webhooks entry, gzip KiB', key: 'size.sallyport/webhooks', ...atMost(2, 2) },
  ...[
    ['one', 'one at a time'],
    ['fifty', 'fifty at a time'],
  ].flatMap(([key, howMany]) => [
    {
      measure: `CPU of checking a session cookie, ${howMany}; hand-written node:crypto = 1`,
      key: `session.node.${key}.sallyport`,
      ...atMost(1.3),
      peers: `session.node.${key}.`,
    },
    {
      measure: `CPU of checking a session cookie, ${howMany}; hand-written iron-webcrypto and jose = 1`,
      key: `session.${key}.sallyport`,
      ...atMost(1.05),
      peers: `session.${key}.`,
    },
    {
      measure: `CPU of checking a session cookie, ${howMany}; node:crypto, kept keys = 1`,
      key: `session.kept.${key}.sallyport`,
      ...atMost(1.3),
    },
    {
      measure: `CPU of checking a cached session cookie, ${howMany}, us`,
      key: `session.us.${key}.sallyport, cached`,
      ...atMost(5, 1),
    },
  ]),
  ...['uncached', 'cached'].map((kind) => ({
    measure: `CPU of checking a token (${kind}), with 1,000 revocations; without = 1`,
    key: `revocations.${kind}.1000 entries`,
    ...atMost(1.02, 3),
  })),
  ...['one process', 'eight processes, Redis', 'eight processes, PostgreSQL'].map((name) => ({
    measure: `Delay of a revocation, ${name}, 99th percentile, ms`,
    key: `revocations.delayMs.p99.${name}`,
    ...atMost(2_000, 0),
  })),
  { measure: 'Memory per revocation, bytes', key: 'revocations.bytesEach', ...atMost(500, 0) },
  {
    measure: 'Import of `sallyport/session`, minus bare Node, ESM, ms',
    key: 'import.esm.sallyport/session',
    ...atMost(6, 1),
  },
  {
    measure: 'Import of `sallyport/webhooks`, minus bare Node, ESM, ms',
    key: 'import.esm.sallyport/webhooks',
    ...atMost(3, 1),
  },
  {
    measure: 'Rounds of 10 concurrent refreshes that sign the user out, with single-use tokens, of 100',
    key: 'races.sallyport, handle',
    ...exactly(0),
    peers: 'races.',
  },
  {
    measure: 'Session reader without lazy parts, gzip KiB',
    key: 'size.sallyport/session, reader without lazy parts',
    ...atMost(12, 1),
  },
  {
    measure: 'Sessions without lazy parts, gzip KiB',
    key: 'size.sallyport/session, without lazy parts',
    ...atMost(14, 1),
  },
  { measure: 'Sessions in a single file, gzip KiB', key: 'size.sallyport/session', ...atMost(22, 1) },
  {
    measure: 'Browser entry before sign-in, gzip KiB',
    key: 'size.sallyport/browser before sign-in',
    ...atMost(7, 1),
  },
  ...['next', 'sveltekit', 'express'].map((name) => ({
    measure: `Empty project to signed-in page with two commands, ${name}, s`,
    key: `first.${name}Seconds`,
    ...atMost(30, 1),
  })),
  {
    measure: 'Mirror: speed of the first copy; a loop that inserts by hundreds = 1',
    key: 'mirror.copy',
    ...atLeast(0.8),
  },
  { measure: 'Mirror: events per second; `exactlyOnce` with one upsert = 1', key: 'mirror.events', ...atLeast(0.9) },
  { measure: 'Mirror: heap after 100,000 users, above that after 10,000, MB', key: 'mirror.heap', ...atMost(20, 1) },
  { measure: 'Mirror: differences after 60 kills with 100,000 users', key: 'mirror.different', ...exactly(0) },
  { measure: 'Emulator: creating a world from the demo seed, ms', key: 'worlds.makeMs', ...atMost(5, 1) },
  { measure: 'Emulator: heap per world, 1,000 in one process, KB', key: 'worlds.kb', ...atMost(200, 0) },
  {
    measure: 'Emulator: CPU of a request with 999 other worlds; with one other = 1',
    key: 'worlds.beside',
    ...atMost(1.05),
  },
  {
    measure: 'Emulator: leaks between worlds in 100,000 requests',
    key: 'worlds.crossings',
    ...exactly(0),
  },
  { measure: 'Emulator: startup time, ms', key: 'emulator.readyMs', ...atMost(1000, 0) },
  {
    measure: 'Emulator: supported operations of the specification',
    key: 'emulator.served',
    target: 'all',
    holds: (value, measured) => value === measured['emulator.specified'],
    text: (value, measured) => `${value} of ${measured['emulator.specified']}`,
  },
];

/** Rows that are baselines or variants, not packages to choose from. */
const asides = [
  /^node:crypto, kept keys$/,
  /\(fetch\)$/,
  /^ky .* called like/,
  /^raw fetch$/,
  /^raw fetch loop$/,
  /^node:http$/,
  /^nothing$/,
  /^tarball$/,
];

function peersOf({ peers, digits }, measured) {
  if (!peers) return '';
  return Object.entries(measured)
    .filter(([key]) => key.startsWith(peers))
    .map(([key, value]) => [key.slice(peers.length), value])
    .filter(
      ([name, value]) => value !== null && !name.startsWith('sallyport') && !asides.some((aside) => aside.test(name)),
    )
    .map(
      ([name, value]) =>
        `${name.replace(/ \d+\.\d+\.\d+/, '').replace(/ \(.*\)$| loop$/, '')} ${value.toFixed(digits)}`,
    )
    .join(', ');
}

/** Build the Markdown table of the figures from all results. */
export function figuresTable(measured) {
  const lines = figures.map((figure) => {
    const { measure, key, target, holds, text, digits } = figure;
    const value = measured[key];
    const known = typeof value === 'number';
    const ours = !known ? 'not measured' : text ? text(value, measured) : value.toFixed(digits);
    const verdict = !known ? '' : holds(value, measured) ? 'yes' : '**no**';
    return `| ${[measure, target, ours, verdict, peersOf(figure, measured)].join(' | ')} |`;
  });
  return ['| Figure | Target | Ours | Met | Peers |', '|---|---:|---:|---|---|', ...lines].join('\n');
}
