// Builds docs/operations.md: every operation of the service, the method that calls it, and the rate limits. Also builds the table of docs/emulator/run.md.
import { missingOperations } from '../src/emulator/chain/missing-operations.js';
import { publicFields } from '../src/emulator/chain/public-fields.js';
import { dialects } from '../src/service/describe/dialect.js';
import { type Operation, pathOf } from '../src/service/describe/operation.js';
import { type RateLimit, rateLimits } from '../src/service/rates/rate-limits.js';
import { publicOperations } from '../test/spec/public-operations.js';

const code = (text: string): string => `\`${text}\``;

/** Link a method such as `organizations.getOrganization` to the reference. */
const linkTo = (client: string): string => {
  const [part = '', ...names] = client.split('.');
  const page = part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `[${code(client)}](reference/${page}.md#${names.at(-1)?.toLowerCase()})`;
};

const addressOf = (method: string, path: string): string => `${method} ${path.replace(/:\w+/g, ':')}`;
const publicAddress = (operation: Operation): string => addressOf(operation.method, pathOf(operation, dialects.workos));
const publicAddresses = new Set(publicOperations.map(({ method, path }) => addressOf(method, path)));

/** Whether the public service lists an operation. */
export const isPublic = (operation: Operation): boolean => publicAddresses.has(publicAddress(operation));

/** Count the operations of the public service, and those of them that this package has. */
export function publicCounts(all: readonly Operation[]): { readonly here: number; readonly all: number } {
  const here = new Set(all.map(publicAddress).filter((address) => publicAddresses.has(address)));
  return { here: here.size, all: publicAddresses.size };
}

const marksOf = (operation: Operation): string => {
  const { io, kind } = operation;
  return [
    io.extension && 'extension',
    io.deprecated && 'deprecated',
    io.earlier && 'earlier',
    kind === 'url' && 'address',
    io.pathVaries && 'dialect',
    !isPublic(operation) && 'not public',
  ]
    .filter((mark) => mark)
    .join(', ');
};

const rowOf = (operation: Operation): string => {
  const { id, method, path, client } = operation;
  const cells = [code(id), method, code(path), linkTo(client)];
  return `| ${[...cells, marksOf(operation)].join(' | ')} |`;
};

const limitRow = ({ name, scope, requests, windowMs, per }: RateLimit): string =>
  `| ${code(name)} | ${scope.replaceAll('*', '\\*')} | ${requests} in ${windowMs / 1_000} s | ${per ?? 'not stated'} |`;

/** Build the page as Markdown. */
export function operationsTable(all: Readonly<Record<string, Operation>>): string {
  const rows = Object.values(all);
  const extensions = rows.filter(({ io }) => io.extension).length;
  const counts = publicCounts(rows);
  return `<!-- Written by \`npm run docs\` from src/service. Do not edit by hand. -->

# Operations

${rows.length - extensions} operations from the specification and ${extensions} extensions. The emulator serves all of them. They cover ${counts.here} of the ${counts.all} operations of the
public service, as its published description 0.61 lists them.

Marks: *extension*: not in the specification, and missing in some deployments. *deprecated* and *earlier*: still served, but new code
should use another operation. *address*: a URL for the user's browser, built by the client without a request. *dialect*: the path depends on
the dialect, and the table shows the path of \`spec\`. *not public*: the public service does not list this operation, so call it only on a service
that has it, such as the emulator.

| Operation | Method | Path | Client | Marks |
|---|---|---|---|---|
${rows.map(rowOf).join('\n')}

## Missing operations

The public service has ${missing.length} more operations. The client has no methods for them, but \`sallyport.request\` sends them. The
emulator answers them with status 501 and the code \`not_emulated\` in dialect \`workos\`, and as unknown paths in dialect \`spec\`. They are
below these paths:

${[...new Set(missing.map(areaOf))]
  .map((area) => `- ${code(area)}: ${missing.filter((path) => areaOf(path) === area).length}`)
  .join('\n')}

## Rate limits

The published limits of the service. A request above one gets status 429. [Rate limits](retries.md#rate-limits) says how a client stays below
them. The names are those of \`sallyport.limits.snapshot()\` and \`emulator.setRateLimit\`.

| Limit | Counts | Requests | For each |
|---|---|---|---|
${rateLimits.map(limitRow).join('\n')}
`;
}

/** The paths of all missing operations, one for each operation. */
const missing = Object.entries(missingOperations).flatMap(([path, methods]) => methods.split(' ').map(() => path));

/** Return the start of a path, which names the kind of object: `/vault`, `/user_management/users`, `/organizations/:id/groups`. */
const areaOf = (path: string): string => {
  const [, first = '', second, third] = path.split('/');
  if (!['authorization', 'organizations', 'user_management'].includes(first)) return `/${first}`;
  return second === ':' ? `/${first}/:id/${third}` : `/${first}/${second}`;
};

const heading = '| Operation | Fields without effect | Refused fields |\n|---|---|---|\n';

/** Replace the table of fields that are not emulated in a page. Operations with the same fields share a row. */
export function withFields(text: string): string {
  const rows = new Map<string, string[]>();
  for (const [id, fields] of Object.entries(publicFields)) {
    const cells = [fields?.withoutEffect ?? [], Object.keys(fields?.refused ?? {})];
    const key = cells.map((names) => names.map(code).join(', ')).join(' | ');
    rows.set(key, [...(rows.get(key) ?? []), code(id)]);
  }
  const table = [...rows].map(([cells, ids]) => `| ${ids.join(', ')} | ${cells} |\n`.replaceAll('|  |', '| |'));
  return text.replace(/^\| Operation \| Fields without effect .*\n(?:\|.*\n)*/m, () => heading + table.join(''));
}
