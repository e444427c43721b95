// Builds the table "How it compares" of README.md from the figures in bench/README.md.

const clients = ['sallyport', '@workos-inc/node', 'stripe', 'openai'] as const;

/** A row of the README, and its source in bench/README.md: the start of a heading, a column, and our row. */
interface Comparison {
  readonly label: string;
  readonly heading: string;
  readonly column: string;
  readonly ours?: string;
}

const comparisons: readonly Comparison[] = [
  { label: 'Check a session cookie, µs', heading: 'A session cookie of 2087 bytes, one at a time', column: 'CPU' },
  { label: 'Check a webhook of 1 KB, µs', heading: 'Verifying a 1 KB webhook', column: 'CPU' },
  { label: 'List 10,000 records, ms', heading: '10,000 records, idle consumer', column: 'wall ms' },
  { label: 'One call, µs of CPU', heading: 'One call at a time', column: 'CPU' },
  { label: 'Import, ms more than bare Node', heading: 'Import, minus bare Node', column: 'ESM ms' },
  { label: 'Process start to first response, ms', heading: 'From process start to the first response', column: 'ms' },
  {
    label: 'Client in a bundle after its first call, KiB gzip',
    heading: 'Bundles for a browser, KiB',
    column: 'gzip',
    ours: 'sallyport, client after its first call',
  },
  {
    label: 'Client in one file, KiB gzip',
    heading: 'Bundles for a browser, KiB',
    column: 'gzip',
    ours: 'sallyport, client with all resources',
  },
];

/** Parse the table below a heading into rows by label. */
function tableBelow(page: string, heading: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const [, section] = page.split(`\n### ${heading}`);
  if (section === undefined) throw new Error(`bench/README.md has no heading "${heading}"`);
  const lines = section
    .split(/^#/m)[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const [columns = [], , ...rows] = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  return new Map(rows.map((row) => [row[0]!, Object.fromEntries(columns.map((name, at) => [name, row[at] ?? '']))]));
}

function rowOf(page: string, { label, heading, column, ours = 'sallyport' }: Comparison): string {
  const table = tableBelow(page, heading);
  if (!table.get(ours)?.[column]) throw new Error(`bench/README.md has no "${column}" of "${ours}" below "${heading}"`);
  const cells = clients.map((client) => {
    const name = client === 'sallyport' ? ours : [...table.keys()].find((one) => one.startsWith(`${client} `));
    return (name && table.get(name)?.[column]) || '–';
  });
  return `| ${[label, ...cells].join(' | ')} |\n`;
}

/** Replace the table in the README. @param figures The text of bench/README.md. */
export function withComparison(text: string, figures: string): string {
  const versions = [...figures.matchAll(/^\| (@workos-inc\/node|stripe|openai) (\d+\.\d+)\.\d+ \|/gm)];
  const named = clients.map((client) => {
    const version = versions.find(([, name]) => name === client)?.[2];
    return version === undefined ? 'Sallyport' : `${client} ${version}`;
  });
  const table = [
    `| | ${named.join(' | ')} |\n`,
    '|---|---:|---:|---:|---:|\n',
    ...comparisons.map((one) => rowOf(figures, one)),
  ];
  return text.replace(
    /(<!-- comparison -->\n)[\s\S]*?(<!-- \/comparison -->)/,
    (_, start: string, end: string) => start + table.join('') + end,
  );
}
