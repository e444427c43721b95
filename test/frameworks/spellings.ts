import fc from '../runner/property.js';

/** The seed of the spellings that every run tries. */
export const fixedSeed = 20261123;

/** The seed of additional spellings, different in every run. Failures name it. */
export const randomSeed = Math.floor(Math.random() * 2 ** 31);

/** How many spellings of a path are tried with each seed. */
export const spellingsPerSeed = 200;

const percent = (letter: string): string =>
  [...new TextEncoder().encode(letter)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** A letter unchanged, in the other case, or escaped up to six times. */
const letterOf = (letter: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(letter) },
    { weight: 2, arbitrary: fc.constant(letter.toUpperCase()) },
    { weight: 2, arbitrary: fc.constant(percent(letter)) },
    { weight: 1, arbitrary: fc.constant(percent(letter).toUpperCase()) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 5 }).map((times) => percent(letter).replace('%', `%${'25'.repeat(times)}`)),
    },
  );

const separators = [
  ...['//', '///', '/./', '/.//', '/%2e/', '/%252e/', '/;/', '/;x/', '/%3b/', '/%20/', '/%09/', '/%00/', '/%c2%a0/'],
  ...['%2f', '%2F', '%252f', '%25252f', '/%2f', '%2f/', '\\', '%5c', '%255c', '/\\', '\\/', '%c0%af', '%ef%bc%8f'],
  ...[
    '/x/../',
    '/x/%2e%2e/',
    '/x/.%2e/',
    '/x%2f../',
    '/x/..%2f',
    '/x%2f..%2f',
    '/x/%252e%252e/',
    '/x\\..\\',
    '/x/..;/',
  ],
  ...[
    '/a%2fb/../',
    '/a%252fb/..%2f',
    '/a%252fb/%2e%2e/',
    '/a//../',
    '/%2e%2e/',
    '/../',
    '/..;/',
    '/x/..%00/',
    '/x/..%09/',
  ],
];

const suffixes = [
  ...[
    '/',
    '//',
    '/.',
    '/./',
    '/..',
    '/x',
    '/x/',
    '/x/..',
    '/x/../',
    '/../x',
    '/..%2fx',
    '/%2e%2e/x',
    '/x%2f..',
    '/%2e',
    '%2f',
  ],
  ...[
    '%20',
    '+',
    '%20x',
    '%20/x',
    '/%20',
    '%09',
    '%0a',
    '%0d',
    '%00',
    '%00.html',
    '%7f',
    '%c2%85',
    '%c2%a0',
    '%ef%bb%bf',
  ],
  ...[
    '%e2%80%a8',
    '%e2%80%8b',
    '%3f',
    '%3fx',
    '%3F',
    '%253f',
    '%23',
    '%23x',
    '%2523',
    ';',
    ';x',
    ';x=1/x',
    '%3b',
    '%3bx',
  ],
  ...[
    '/%ff',
    ';%ff',
    '/%',
    '/%zz',
    '/%c0%af',
    '/%25',
    '/%2525',
    '/%25ff',
    '%',
    '%ff',
    '%5c',
    '%5cx',
    '\\',
    '\\x',
    '/%u0041',
  ],
  ...[
    '.json',
    '.html',
    '.data',
    '.rsc',
    '.txt',
    '.',
    '..',
    '...',
    './x',
    '.prefetch.rsc',
    '/index',
    '/index.html',
    '/_.data',
  ],
  ...[
    '/__data.json',
    '/_payload.json',
    '.segments/_tree.segment.rsc',
    '/index.txt',
    '?',
    '?x',
    '?x=/../..',
    '#',
    '#x',
    '??',
  ],
  ...[
    ':',
    ':x',
    '::$DATA',
    '~',
    '~1',
    '!',
    ',',
    '=',
    '&',
    '*',
    '(',
    ')',
    "'",
    '"',
    '<',
    '>',
    '|',
    '^',
    '`',
    '{',
    '}',
    '[',
    ']',
  ],
  ...['@', '$', '/:id', '/*', '/[id]', '/(x)', '/@x', '/.x', '/x.json', '/x%2fy', '/%70', '/%2570', '/x;y', '/x%20'],
];

const prefixes = [
  ...[
    'http://x',
    'HTTP://x',
    'http://x:80',
    'HTTP://x:99999',
    'https://x:0',
    'foo://x',
    'foo://x:99999',
    'http:',
    'x:',
    'http://x@y',
  ],
  ...[
    'http:///',
    'http:/',
    'http://[',
    'http://x\\',
    '//x',
    '/\\x',
    '\\\\x',
    '///x',
    '/%2fx',
    '/%5cx',
    '/x/..',
    '/x/%2e%2e',
    '/.',
    '/%2e',
  ],
  ...[
    '/..',
    '/x%2f..',
    '/x/..%2f',
    '/a%2fb/..',
    '/a%252fb/..%2f',
    '/a%252fb/%2e%2e',
    '/a//..',
    '/;',
    '/;x',
    '/%20',
    '/%00',
    '/%3f',
  ],
  ...[
    '/%3fx/..',
    '/%23/..',
    '/x?/..',
    '/x#/..',
    '/public/..',
    '/public%2f..',
    '/public/%2e%2e',
    '/public/..%2f',
    '/public/..;',
    '/./',
    '*',
  ],
];

const oneOf = (values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values);

/** Generates spellings of a path that some router may accept, most of them with one or two oddities. */
const spellingOf = (path: string): fc.Arbitrary<string> =>
  fc
    .record({
      prefix: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oneOf(prefixes) }),
      letters: fc.tuple(
        ...[...path].map((letter) =>
          letter === '/'
            ? fc.oneof({ weight: 8, arbitrary: fc.constant('/') }, { weight: 1, arbitrary: oneOf(separators) })
            : letterOf(letter),
        ),
      ),
      suffix: fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 2, arbitrary: oneOf(suffixes) }),
      more: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oneOf(suffixes) }),
      escapedAgain: fc.oneof(
        { weight: 9, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
      ),
    })
    .map(({ prefix, letters, suffix, more, escapedAgain }) => {
      const spelling = letters.join('') + suffix + more;
      return prefix + spelling.replaceAll('%', `%${'25'.repeat(escapedAgain)}`);
    });

/** Returns a number of different spellings of a path, always the same for a seed. The oddities in them differ between paths. */
export function spellingsOf(path: string, count: number, seed: number): readonly string[] {
  const found = new Set<string>([path]);
  const offset = [...path].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 30, 7);
  for (let round = 0; found.size < count; round++)
    for (const one of fc.sample(spellingOf(path), { seed: seed + offset + round, numRuns: count }))
      if (found.size < count) found.add(one);
  return [...found];
}

/** The spellings of a path that every run tries, and as many that only this run tries. */
export const spellingsOfRun = (path: string): readonly string[] =>
  [fixedSeed, randomSeed].flatMap((seed) => spellingsOf(path, spellingsPerSeed, seed));
