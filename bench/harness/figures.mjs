// The figures that this project targets, and their table for the README.

const atMost = (target, digits = 2) => ({ target: `<= ${target}`, holds: (value) => value <= target, digits });
const exactly = (target) => ({ target: `exactly ${target}`, holds: (value) => value === target, digits: 0 });

/** Each row: its label, the key of our figure, its target, and the figures of peers to print next to it. */
export const figures = [
  {
    measure: 'List 10,000 records, idle consumer; raw fetch loop = 1',
    key: 'list.idle.sallyport',
    ...atMost(1.02),
    peers: 'list.idle.',
  },
  {
    measure: 'List 10,000 records, consumer that works meanwhile; raw fetch loop = 1',
    key: 'list.busyOverRaw.sallyport',
    ...atMost(0.54),
    peers: 'list.busyOverRaw.',
  },
  {
    measure: 'List 10,000 records, consumer that works meanwhile; max(network, consumer) = 1',
    key: 'list.busy.sallyport',
    ...atMost(1.08),
    peers: 'list.busy.',
  },
  {
    measure: 'Requests for a walk of 10,000 records',
    key: 'list.requests.sallyport',
    ...exactly(100),
    peers: 'list.requests.',
  },
  {
    measure: 'Decode a page of 100 organizations, the type of every known field checked; JSON.parse = 1',
    key: 'decode',
    ...atMost(1.15),
  },
  ...[
    ['one', 'one at a time'],
    ['fifty', 'fifty at once'],
  ].flatMap(([key, howMany]) => [
    {
      measure: `CPU of a call, ${howMany}; bare ky = 1`,
      key: `call.${key}.overKy.sallyport`,
      ...atMost(1.05),
      peers: `call.${key}.overKy.`,
    },
    {
      measure: `CPU of a call, ${howMany}; ky called as the client calls it = 1`,
      key: `call.${key}.overKySoCalled.sallyport`,
      ...atMost(1.05),
    },
  ]),
  {
    measure: 'Start of a process to its first answer, ESM; bare ky = 1',
    key: 'cold.sallyport',
    ...atMost(1.05),
    peers: 'cold.',
  },
  {
    measure: 'Import of `sallyport` over bare Node, ESM, ms',
    key: 'import.esm.sallyport',
    ...atMost(6, 1),
    peers: 'import.esm.',
  },
  {
    measure: 'Import of `sallyport` over bare Node, CJS, ms',
    key: 'import.cjs.sallyport',
    ...atMost(6, 1),
    peers: 'import.cjs.',
  },
  {
    measure: 'Client before its first call, gzip KiB',
    key: 'size.sallyport, client before its first call',
    ...atMost(28, 1),
    peers: 'size.',
  },
  {
    measure: 'Client after its first call, with ky and one room, gzip KiB',
    key: 'size.sallyport, client after its first call',
    ...atMost(32, 1),
    peers: 'size.',
  },
  {
    measure: 'Client with everything in one file, gzip KiB',
    key: 'size.sallyport, client with all rooms',
    ...atMost(40, 1),
    peers: 'size.',
  },
  ...[
    ['1 KB', 1.15],
    ['64 KB', 1.1],
  ].map(([size, most]) => ({
    measure: `CPU of checking a webhook of ${size}; node:crypto by hand = 1`,
    key: `webhooks.${size}.sallyport`,
    ...atMost(most),
    peers: `webhooks.${size}.`,
  })),
  { measure: 'Webhooks alone, gzip KiB', key: 'size.sallyport/webhooks', ...atMost(1.5, 2) },
  ...[
    ['one', 'one at a time'],
    ['fifty', 'fifty at once'],
  ].flatMap(([key, howMany]) => [
    {
      measure: `CPU of checking a session cookie, ${howMany}; node:crypto by hand = 1`,
      key: `session.node.${key}.sallyport`,
      ...atMost(1.3),
      peers: `session.node.${key}.`,
    },
    {
      measure: `CPU of checking a session cookie, ${howMany}; iron-webcrypto and jose by hand = 1`,
      key: `session.${key}.sallyport`,
      ...atMost(1.05),
      peers: `session.${key}.`,
    },
    {
      measure: `CPU of checking a session cookie that is remembered, ${howMany}, us`,
      key: `session.us.${key}.sallyport, cached`,
      ...atMost(5, 1),
    },
  ]),
  ...['checked anew', 'remembered'].map((kind) => ({
    measure: `CPU of checking a token that is ${kind}, with 1,000 revocations; without = 1`,
    key: `revocations.${kind}.1000 entries`,
    ...atMost(1.02, 3),
  })),
  ...['one process', 'eight processes, Redis', 'eight processes, PostgreSQL'].map((name) => ({
    measure: `From a revocation to its refusal, ${name}, 99th percentile, ms`,
    key: `revocations.delayMs.p99.${name}`,
    ...atMost(2_000, 0),
  })),
  { measure: 'Memory of a revocation, bytes', key: 'revocations.bytesEach', ...atMost(500, 0) },
  {
    measure: 'Import of `sallyport/session` over bare Node, ESM, ms',
    key: 'import.esm.sallyport/session',
    ...atMost(3, 1),
  },
  {
    measure: 'Races of 10 refreshes at once in which a user is signed out, of 100',
    key: 'races.sallyport, handle',
    ...exactly(0),
    peers: 'races.',
  },
  {
    measure: 'Session reader alone, while nothing is wrong, gzip KiB',
    key: 'size.sallyport/session, reader alone, while nothing is wrong',
    ...atMost(8.5, 1),
  },
  {
    measure: 'Sessions, what checks and refreshes them, gzip KiB',
    key: 'size.sallyport/session, checking and refreshing',
    ...atMost(14, 1),
  },
  { measure: 'Sessions whole in one file, gzip KiB', key: 'size.sallyport/session', ...atMost(14, 1) },
  {
    measure: 'Browser entry before anybody signs in, gzip KiB',
    key: 'size.sallyport/browser before anybody signs in',
    ...atMost(7, 1),
  },
  ...['next', 'sveltekit', 'express'].map((name) => ({
    measure: `From an empty project to a signed-in page by two commands, ${name}, s`,
    key: `first.${name}Seconds`,
    ...atMost(30, 1),
  })),
  { measure: 'Emulator: making a world of the seed of the demo, ms', key: 'worlds.makeMs', ...atMost(5, 1) },
  { measure: 'Emulator: heap of a world of it, 1,000 in one process, KB', key: 'worlds.kb', ...atMost(200, 0) },
  {
    measure: 'Emulator: CPU of a request beside 999 other worlds; beside one = 1',
    key: 'worlds.beside',
    ...atMost(1.05),
  },
  {
    measure: 'Emulator: requests of 100,000 that meet what is in another world',
    key: 'worlds.crossings',
    ...exactly(0),
  },
  { measure: 'Emulator: start to ready, ms', key: 'emulator.readyMs', ...atMost(1000, 0) },
  {
    measure: 'Emulator: operations of the specification served',
    key: 'emulator.served',
    target: 'all',
    holds: (value, measured) => value === measured['emulator.specified'],
    text: (value, measured) => `${value} of ${measured['emulator.specified']}`,
  },
];

/** Rows of `call` and `list` that are calling styles, not packages to choose from. */
const asides = [
  /\(fetch\)$/,
  /^ky .* as sallyport/,
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
  return ['| Figure | Target | Ours | Holds | Peers |', '|---|---:|---:|---|---|', ...lines].join('\n');
}
