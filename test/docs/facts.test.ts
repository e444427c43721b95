import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as sallyport from 'sallyport';
import * as emulatorEntry from 'sallyport/emulator';
import { postgresStoreTable } from 'sallyport/stores';
import { exactlyOnceTables } from 'sallyport/streams';
import { describe, expect, test } from 'vitest';
import { examples } from '../../scripts/controls-page.js';
import { helpOf, purposes } from '../../src/cli/tasks.js';
import { namedControlsOf } from '../../src/emulator/http/control.js';
import { administratorControls, controls } from '../../src/emulator/registry.js';
import { flowErrors } from '../../src/transport/answer/flow-step.js';
import { type Framework, frameworks } from '../frameworks/frameworks.js';
import { stage } from '../stage.js';
import { codeIn, fieldsOf, namesIn, read, sectionOf, textsOf } from './markdown.js';

// The pages tell the truth. Where a page lists names, it lists exactly those that exist.

const classesIn = (entry: object): string[] =>
  Object.entries(entry)
    .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
    .map(([name]) => name);

test.each([
  ['Starting', 'errors', 'ConfigurationCode', '`code`', 'src/errors/sallyport-error.ts'],
  ['Streams', 'errors', 'StreamErrorCode', '`code`', 'src/streams/stream-error.ts'],
  ['Mirror', 'errors', 'MirrorErrorCode', '`code`', 'src/mirror/mirror-error.ts'],
  ['The browser', 'errors', 'BrowserErrorCode', '`code`', 'src/browser/browser-error.ts'],
  ['The emulator', 'errors', 'EmulatorError', '`code`', 'src/emulator/store/refusal.ts'],
  ['When a delivery is refused', 'webhooks', 'WebhookRefusal', '`reason`', 'src/webhooks/verification-error.ts'],
  ['What it gives', 'webhooks', 'status', '`status`', 'src/webhooks/receive-options.ts'],
])('the section "%s" in docs/%s.md lists all values of %s', (heading, page, name, column, file) => {
  const texts = textsOf(file, name);

  expect(texts.length).toBeGreaterThan(3);
  expect(namesIn(sectionOf(read(`docs/${page}.md`), heading), column).sort()).toEqual(texts.sort());
});

describe('docs/errors.md', () => {
  const page = read('docs/errors.md');

  test('names every error class that can be imported', () => {
    const classes = [...new Set([...classesIn(sallyport), ...classesIn(emulatorEntry)])];

    expect(classes.length).toBeGreaterThan(15);
    expect(classes.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('lists each error code that belongs to a status code', () => {
    const codes = textsOf('src/transport/answer/errors.ts', 'ApiErrorCode');

    expect(codes.length).toBeGreaterThan(3);
    expect(namesIn(sectionOf(page, 'Any call'), '`code`')).toEqual(expect.arrayContaining(codes));
  });

  test('lists the code of each sign-in step under "Signing in"', () => {
    expect(namesIn(sectionOf(page, 'Signing in'), '`code`').sort()).toEqual(Object.keys(flowErrors).sort());
  });

  test.each(['Any call', 'Lists'])('names only existing classes under "%s"', (heading) => {
    const names = namesIn(sectionOf(page, heading), 'Class');

    expect(names.length).toBeGreaterThan(0);
    expect(classesIn(sallyport)).toEqual(expect.arrayContaining(names));
  });
});

describe('docs/streams.md', () => {
  const page = read('docs/streams.md');

  test('names every stream option except the filters', () => {
    const options = fieldsOf('src/streams/follow/options.ts', 'FollowOptions');

    expect(options.length).toBeGreaterThan(10);
    expect(options.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  test('lists the stream states in the order of the type declaration', () => {
    const states = textsOf('src/streams/follow/status.ts', 'StreamState');

    expect(states.length).toBeGreaterThan(5);
    expect(namesIn(page, '`state`')).toEqual(states);
  });

  test("starts with an example that ends a user's access after a directory has deactivated the user", () => {
    const [example = ''] = page.split('## What is promised');

    expect(example).toContain("'dsync.user.updated': (event) => setAccess(event.data)");
    expect(example).toContain("if (state === 'active') await grantAccess(id, email);\n  else await removeAccess(id);");
    expect(example).toContain("`state: 'inactive'`");
  });
});

test.each([
  ['docs/exactly-once.md', exactlyOnceTables('postgres')],
  ['docs/stores.md', `${postgresStoreTable()}\n`],
])('%s shows the tables that setUp() creates', (page, tables) => {
  expect(codeIn(read(page), 'sql')).toContain(tables);
});

test('docs/exactly-once.md names exactly the existing dead-letters commands', () => {
  const commands = [...read('docs/exactly-once.md').matchAll(/^npx sallyport dead-letters (\w+)/gm)];

  expect(commands.map(([, action]) => action)).toEqual(['list', 'show', 'replay', 'replay', 'remove']);
});

test('docs/webhooks.md states the bundle sizes from bench/README.md', () => {
  const sizeOf = (program: string) =>
    read('bench/README.md').split(`\n| ${program} | `)[1]?.split(' | ')[1]?.split(' ')[0];
  const [checked, received] = ['sallyport/webhooks', 'sallyport/webhooks, receive'].map(sizeOf);

  expect(checked).toMatch(/^\d\.\d$/);
  expect(read('docs/webhooks.md').replaceAll('\n', ' ')).toContain(
    `it is ${checked} KB where \`receive\` is ${received}.`,
  );
});

test('docs/emulator/run.md states the package size from bench/README.md', () => {
  const [, unpacked = ''] = /^\| sallyport \| [\d,]+ \| ([\d,]+) \| \d+ \|$/m.exec(read('bench/README.md')) ?? [];
  const megabytes = Math.round((Number(unpacked.replace(',', '')) * 1024) / 1e6);

  expect(megabytes).toBeGreaterThan(1);
  expect(read('docs/emulator/run.md')).toContain(`the whole package takes ${megabytes} MB.`);
});

describe('docs/guides/alongside-workos.md', () => {
  const installedIn = (folder: string) => JSON.parse(read(`test/outsiders/${folder}/package-lock.json`)).packages;
  const rows = [
    ...sectionOf(read('docs/guides/alongside-workos.md'), 'Versions that install together').matchAll(
      /^\| `([^`]+)` \| ([\d.]+) \| (?:`(.+)` )?\|$/gm,
    ),
  ].map(([, name = '', version, range]) => ({ name, version, range: range?.replaceAll('\\|', '|') }));

  test('lists the package versions that tests install together', () => {
    const packages = installedIn('next');

    expect(rows.map(({ name }) => name)).toContain('@workos-inc/authkit-nextjs');
    expect(rows).toEqual(
      rows.map(({ name }) => {
        const { version, peerDependencies } = packages[`node_modules/${name}`];
        return { name, version, range: peerDependencies?.['@workos-inc/node'] };
      }),
    );
  });

  test('names a version of @workos-inc/node that cannot be installed with the listed packages', () => {
    const { version } = installedIn('incumbent-11')['node_modules/@workos-inc/node'];
    const ranges = rows.flatMap(({ range }) => range ?? []);

    expect(read('docs/guides/alongside-workos.md')).toContain(`\`@workos-inc/node\` ${version} does not install`);
    expect(ranges).toHaveLength(2);
    for (const range of ranges) expect([range.includes('^10.'), range.includes('^11.')]).toEqual([true, false]);
  });
});

describe('docs/emulator', () => {
  const manual = readdirSync('docs/emulator')
    .map((page) => read(`docs/emulator/${page}`))
    .join('\n');

  test('names only requests that the emulator answers', () => {
    const known = namedControlsOf({ ...controls, ...administratorControls }).map(
      ({ operation: { method, path } }) => `${method} ${path}`,
    );
    // The console serves pages under these paths, and not controls.
    known.push('GET /_emulator/live');
    const named = manual.match(/(?<=`)(?:GET|POST|PUT|PATCH|DELETE) \/_emulator\/[\w/:.]*\w/g) ?? [];
    const fits = (request: string): boolean =>
      known.some((one) => new RegExp(`^${one.replace(/:\w+/g, '[^/]+')}$`).test(request));

    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((request) => !fits(request))).toEqual([]);
    expect(fits('POST /_emulator/nothing')).toBe(false);
  });

  test('names only existing command line options', () => {
    const help = helpOf([], undefined).map(({ body }) => body);
    const ofOtherPrograms = ['--import', '--stay', '--data-binary'];
    const known = new Set([...(help.join('\n').match(/--[\w-]+/g) ?? []), ...ofOtherPrograms]);
    const named = new Set(manual.match(/(?<=[`\s])--[a-z][\w-]+/g));

    expect(Object.keys(purposes)).toEqual(['init', 'dev', 'emulator', 'control', 'dead-letters', 'mirror', 'check']);
    expect([...named].filter((flag) => !known.has(flag))).toEqual([]);
    expect(known.has('--no-such-flag')).toBe(false);
  });

  test('names only existing emulator methods', async () => {
    const { emulator } = await stage();
    const at = (path: string): unknown =>
      path
        .split('.')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], emulator);
    const named = manual.match(/(?<=\bemulator\.)[a-z][\w.]*(?=\()/gi) ?? [];

    expect(named).toContain('clock.advance');
    expect(named.filter((path) => typeof at(path) !== 'function')).toEqual([]);
  });
});

describe('docs/reference/controls.md', () => {
  const forAdministrators = namedControlsOf(administratorControls).map(({ name }) => name);

  test.each(Object.entries(examples))(
    'has an example of %s that runs with the seed examples/company.yaml',
    async (name, { method, path, body }) => {
      const { emulator, send } = await stage({ seed: 'examples/company.yaml' });
      await send('POST /user_management/magic_auth/send', { email: 'ada@northwind.test' });

      const key = forAdministrators.includes(name) ? { authorization: `Bearer ${emulator.adminKey}` } : {};
      const answer = await send(`${method} ${path}`, body, key);

      expect(namedControlsOf({ ...controls, ...administratorControls }).map((one) => one.name)).toContain(name);
      expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([200, 'control']);
    },
  );
});

describe('in the framework documentation,', () => {
  const all = Object.values<Framework>(frameworks);

  test('the README links to a page for each framework', () => {
    const rows = [...read('docs/frameworks/README.md').matchAll(/^\| \[(.+?)\]\((.+?)\.md\) \| `(.+?)` (\S+) \|/gm)];

    expect(rows.map(([, name, page]) => [name, page])).toEqual(all.map(({ name, folder }) => [name, folder]));
    expect(rows.map(([, ...cells]) => cells)).toContainEqual(['Express', 'express', 'express', '5.3.0']);
  });

  test.each(all.map(({ name, folder }) => [name, folder]))(
    'the page for %s links to the code of the example application',
    (_, folder) => {
      expect(read(`docs/frameworks/${folder}.md`)).toContain(`](../../examples/frameworks/${folder}/`);
    },
  );
});

const frameworkPages = readdirSync('docs/frameworks').map((name) => `docs/frameworks/${name}`);

test.each(frameworkPages)('%s has at most 150 lines', (file) => {
  expect(read(file).split('\n').length).toBeLessThanOrEqual(150);
});

test.each(frameworkPages)('every excerpt in %s starts and ends at a blank line in the source file', (file) => {
  const parts = [...read(file).matchAll(/\]\((?:\.\.\/)+([^)#]+)#L(\d+)-L(\d+)\)/g)].map(
    ([link, path, first, last]) => {
      const lines = ['', ...read(path!).split('\n'), ''];
      const [start, end] = [Number(first), Number(last)];
      return [link, lines[start - 1], lines[start] !== '', lines[end] !== '', lines[end + 1]];
    },
  );

  expect(parts).toEqual(parts.map(([link]) => [link, '', true, true, '']));
});

const contributing = read('CONTRIBUTING.md');
const { scripts } = JSON.parse(read('package.json'));
const documents = ['', 'src/emulator/', 'src/session/', 'src/transport/'].map((folder): [string, string, string] => [
  folder ? `${folder}README.md` : 'CONTRIBUTING.md',
  folder,
  read(folder ? `${folder}README.md` : 'CONTRIBUTING.md'),
]);

test('CONTRIBUTING.md lists exactly the package.json scripts that contributors run', () => {
  const [commands = ''] = contributing.split('## Folders');
  const named = [...commands.matchAll(/`[^`]*?npm run ([\w:]+)/g)].map(([, name = '']) => name);
  const ofTools = ['emulator', 'prepack', 'test', 'test:rest'];

  expect([...new Set(named)].sort()).toEqual(
    Object.keys(scripts)
      .filter((name) => !ofTools.includes(name))
      .sort(),
  );
});

test.each(documents)('%s names only existing files and folders', (_document, folder, text) => {
  const named = [...text.matchAll(/`([\w./-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => /^(?:src|test|docs|examples|scripts|\.ci)\/|^(?:[\w-]+\/)*[\w-]+\.ts$/.test(path));
  const missing = named.filter((path) => !existsSync(path) && !existsSync(folder + path));
  const madeUp = ['records.ts', 'routes.ts', 'controls.ts', 'seed.ts', 'setup-servers.ts'];

  expect(named.length).toBeGreaterThan(5);
  expect(missing.filter((path) => !madeUp.includes(path))).toEqual([]);
});

test('docs/testing.md shows only lines from examples/testing, which tests run', () => {
  // The page moves lines to the left.
  const flush = (text: string): string => text.replace(/^ +/gm, '').trimEnd();
  const files = readdirSync('examples/testing', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => flush(read(join(entry.parentPath, entry.name))));
  const blocks = codeIn(read('docs/testing.md'));

  expect(blocks.length).toBeGreaterThan(5);
  expect(blocks.filter((code) => !files.some((text) => text.includes(flush(code))))).toEqual([]);
});
