// Builds docs/operations.md: every operation of the service, and the method that calls it.
import type { Operation } from '../src/service/describe/operation.js';

const code = (text: string): string => `\`${text}\``;

/** Link a method such as `organizations.getOrganization` to the reference. */
const linkTo = (client: string): string => {
  const [part = '', ...names] = client.split('.');
  const page = part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `[${code(client)}](reference/${page}.md#${names.at(-1)?.toLowerCase()})`;
};

const marksOf = ({ io, kind }: Operation): string =>
  [
    io.extension && 'extension',
    io.deprecated && 'deprecated',
    io.earlier && 'earlier',
    kind === 'url' && 'address',
    io.pathVaries && 'dialect',
  ]
    .filter((mark) => mark)
    .join(', ');

const rowOf = (operation: Operation): string => {
  const { id, method, path, client } = operation;
  const cells = [code(id), method, code(path), linkTo(client)];
  return `| ${[...cells, marksOf(operation)].join(' | ')} |`;
};

/** Build the page as Markdown. */
export function operationsTable(all: Readonly<Record<string, Operation>>): string {
  const rows = Object.values(all);
  const extensions = rows.filter(({ io }) => io.extension).length;
  return `<!-- Written by \`npm run docs\` from src/service. Do not edit by hand. -->

# Operations

${rows.length - extensions} operations from the specification and ${extensions} extensions. The emulator serves all of them.

Marks: *extension*: not in the specification, and missing in some deployments. *deprecated* and *earlier*: still served, but new code
should use another operation. *address*: a URL for the user's browser, built by the client without a request. *dialect*: the path depends on
the dialect, and the table shows the path of \`spec\`.

| Operation | Method | Path | Client | Marks |
|---|---|---|---|---|
${rows.map(rowOf).join('\n')}
`;
}
