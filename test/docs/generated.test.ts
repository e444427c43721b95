import { describe, expect, test } from 'vitest';
import { withComparison } from '../../scripts/comparison-table.js';
import { frameworksPage, pagesWithCode, readFrom } from '../../scripts/frameworks-page.js';
import { withTable } from '../../scripts/frameworks-table.js';
import { llmsIndex } from '../../scripts/llms.js';
import { withMissingFields } from '../../scripts/missing-fields-table.js';
import { operationsTable, publicCounts, withFields } from '../../scripts/operations-table.js';
import { address, get, room } from '../../src/service/describe/operation.js';
import { operations } from '../../src/service/operations.js';
import { headingsOf, read } from './markdown.js';

const figures = read('bench/README.md');

test.each<[page: string, written: (text: string) => string | Promise<string>]>([
  ['README.md', (text) => withComparison(text, figures)],
  ['docs/frameworks/README.md', withTable],
  ['docs/answers.md', withMissingFields],
  ['docs/emulator/run.md', withFields],
  ['llms.txt', () => llmsIndex(read('docs/README.md'))],
  ['docs/operations.md', () => operationsTable(operations)],
  ...pagesWithCode.map((page): [string, (text: string) => string] => [
    page,
    (text) => frameworksPage(text, readFrom(page)),
  ]),
])(
  '%s matches the output of `npm run docs`',
  async (page, written) => {
    const text = read(page);

    expect(text).toBe(await written(text));
  },
  60_000,
);

test('docs/answers.md lists for each type the fields that can be missing', () => {
  const page = read('docs/answers.md');

  expect(page).toContain(
    '| `User` | `id`, `email` | `emailVerified`, `createdAt`, `updatedAt` | ' +
      '`firstName`, `lastName`, `profilePictureUrl`, `externalId`, `lastSignInAt`, `locale` | `emailVerified` |',
  );
  expect(page).toContain('| `AuthenticationResponse` | `user`, `accessToken`, `refreshToken` | | `organizationId` |');
  expect(page).not.toMatch(/unnamed|`Totp`/);
});

describe('the comparison in the README', () => {
  const readme = read('README.md');

  test('has eight rows, each with a figure for Sallyport', () => {
    const [, table = ''] = /<!-- comparison -->\n([\s\S]*?)<!-- \/comparison -->/.exec(readme) ?? [];
    const rows = table.trim().split('\n').slice(2);

    expect(rows).toHaveLength(8);
    for (const row of rows) expect(row).toMatch(/^\| [^|]+ \| [\d.,]+ \|/);
  });

  test('changes when a benchmark figure changes', () => {
    const ours = /^\| sallyport, client with all resources \| ([\d.]+) \| [\d.]+ \|/m;
    const changed = figures.replace(ours, '| sallyport, client with all resources | $1 | 70.1 |');

    expect(withComparison(readme, changed)).toContain('| Client in one file, KiB gzip | 70.1 | 47.8 | 32.1 | 84.2 |');
  });

  test('cannot be generated if bench/README.md lacks a heading', () => {
    const renamed = figures.replaceAll('### Verifying a 1 KB webhook', '### Something else');

    expect(() => withComparison(readme, renamed)).toThrow('bench/README.md has no heading "Verifying a 1 KB webhook"');
  });
});

describe('the controls page', () => {
  const page = read('docs/reference/controls.md');

  test("shows a control's request, call, response and fields", () => {
    const [, section] = page.split('### createDirectoryUser\n');

    expect(section).toContain('- Over HTTP: `POST /_emulator/directory_users`\n');
    expect(section).toContain(
      '- In process: `emulator.createDirectoryUser(user: NewDirectoryUser): Promise<DirectoryUser>`\n',
    );
    expect(section).toContain('- Returns: `directory_user`\n');
    expect(section).toMatch(/\| `directory_id` \| text \| yes \| .+ \|/);
  });

  test('describes every control and every field of a control', () => {
    const rows = page.match(/^\| (?:`|\[`).+$/gm)!;

    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
  });
});

describe('the operations table', () => {
  const things = room('users', 'things', {
    get: get('/things/:id', { client: 'getThing', extension: true }),
    open: address('/things/open', { client: 'getThingUrl', earlier: true, deprecated: true }),
  });
  const two = operationsTable({ 'users.get': things.get, 'users.open': things.open });

  test('shows the properties of each operation in one row', () => {
    expect(two).toContain(
      '| `users.get` | GET | `/things/:id` | [`things.getThing`](reference/things.md#getthing) | extension, not public |',
    );
    expect(two).toContain(
      '| `users.open` | GET | `/things/open` | [`things.getThingUrl`](reference/things.md#getthingurl) | deprecated, earlier, address, not public |',
    );
  });

  test("counts the emulator's extensions", () => {
    expect(two).toContain('1 operations from the specification and 1 extensions. The emulator serves all of them.');
  });

  test('marks the operations that the public service lacks', () => {
    const rows = operationsTable(operations)
      .split('\n')
      .filter((row) => row.endsWith('not public |'));
    const ids = rows.map((row) => /`([\w.]+)`/.exec(row)?.[1]);

    expect(ids).toHaveLength(27);
    expect(ids).toEqual(expect.arrayContaining(['fga.check', 'userManagement.sendMagicAuth', 'legacy.scim.getUser']));
    expect(ids).not.toContain('organizations.listRoles');
    expect(ids).not.toContain('users.get');
  });

  test('counts a public operation once, even if several operations share the path', () => {
    const grants = Object.values(operations).filter(({ path }) => path === '/user_management/authenticate');

    expect(grants).toHaveLength(7);
    expect(publicCounts(grants)).toEqual({ here: 1, all: 212 });
    expect(publicCounts([things.get])).toEqual({ here: 0, all: 212 });
  });

  test('links every method to a description in the reference', () => {
    const links = [...read('docs/operations.md').matchAll(/\[`([\w.]+)`\]\(([\w/-]+\.md)#([\w-]+)\)/g)];
    const astray = links.filter(([, method, page, anchor]) => {
      const heading = headingsOf(read(`docs/${page}`)).find((one) => one.toLowerCase() === anchor);
      return heading !== method!.split('.').at(-1);
    });

    expect(links).toHaveLength(114);
    expect(astray.map(([link]) => link)).toEqual([]);
  });
});

test('the index for coding agents has the lines of the document index, with paths from the repository root', () => {
  const index =
    '# A\n\nOne.\n\n## B\n\n- [Two](two.md#three): Four?\n- [Five](../FIVE.md): Six?\n- [Seven](https://seven.test/8.md)\n';

  expect(llmsIndex(index)).toMatch(
    /^# Sallyport\n\n> .+\n\n.+\n\n## B\n\n- \[Two\]\(docs\/two\.md#three\): Four\?\n- \[Five\]\(FIVE\.md\): Six\?\n- \[Seven\]\(https:\/\/seven\.test\/8\.md\)\n$/,
  );
});

describe('example code on a page', () => {
  const text = (fragment: string, code: string) =>
    `[\`a.js\`](../examples/a.js${fragment}):\n\n\`\`\`js\n${code}\`\`\`\n`;

  test('is copied from the linked file or lines', () => {
    const file = (path: string) => (path === '../examples/a.js' ? 'one();\ntwo();\nthree();\n' : '');

    expect(frameworksPage(text('', 'old();\n'), file)).toBe(text('', 'one();\ntwo();\nthree();\n'));
    expect(frameworksPage(text('#L2-L3', ''), file)).toBe(text('#L2-L3', 'two();\nthree();\n'));
  });

  test('is printed without the indentation that all lines share', () => {
    const file = () => 'if (ready) {\n  one();\n\n    two();\n}\n';

    expect(frameworksPage(text('#L2-L4', ''), file)).toBe(text('#L2-L4', 'one();\n\n  two();\n'));
  });

  test('is unchanged if no link precedes the code block', () => {
    const command = 'Run it:\n\n```sh\nnpm start\n```\n';

    expect(frameworksPage(command, readFrom('docs/webhooks.md'))).toBe(command);
  });
});
