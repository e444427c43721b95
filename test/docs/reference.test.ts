import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reference } from '../../scripts/reference/reference.js';
import { seedObjects } from '../../scripts/seed/objects.js';
import { schemaFile, seedSchema } from '../../scripts/seed/schema.js';
import { surface, surfaceFile } from '../../scripts/surface.js';
import { operations } from '../../src/service/operations.js';
import { compile, optionsIn } from '../builds/compiler.js';
import { folderWithPackage, type Unpacked } from '../package/install.js';
import { takesLong } from '../runner/requirements.js';
import { anchorsOf } from './markdown.js';

const folder = fileURLToPath(new URL('../../docs/reference', import.meta.url));
const textsIn = (path: string): Map<string, string> =>
  new Map(readdirSync(path).map((file) => [file, readFileSync(join(path, file), 'utf8')]));

takesLong('the seed schema', () => {
  test('matches the output of `npm run docs`', () => {
    expect(readFileSync(schemaFile, 'utf8')).toBe(seedSchema(seedObjects()));
  });
});

takesLong('docs/reference', () => {
  let installed: Unpacked;
  let dist: Map<string, string>;
  beforeAll(async () => {
    installed = await folderWithPackage();
    const path = join(installed.folder, 'node_modules/sallyport/dist');
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => /\.d\.c?ts$/.test(file));
    dist = new Map(files.map((file) => [file, readFileSync(join(path, file), 'utf8')]));
  });
  afterAll(() => installed?.remove());

  test('matches the output of `npm run docs`', () => {
    const written = textsIn(folder);
    const pages = reference(dist);

    expect([...written.keys()].sort()).toEqual([...pages.keys()].sort());
    expect([...pages].filter(([file, text]) => written.get(file) !== text).map(([file]) => file)).toEqual([]);
  });

  test('describes the public types that test/types/surface.txt lists', () => {
    const written = readFileSync(surfaceFile, 'utf8').split('\n');
    const current = surface(dist).split('\n');

    const added = current.filter((line) => !written.includes(line));
    const removed = written.filter((line) => !current.includes(line));
    const advice = 'The public types have changed. Run `npm run docs` and review the changes of test/types/surface.txt';
    expect({ added, removed }, advice).toEqual({ added: [], removed: [] });
    expect(written, advice).toEqual(current);
  });

  test('describes every export of every package entry point', () => {
    const headings = new Set([...textsIn(folder).values()].flatMap((text) => text.match(/(?<=^## ).+$/gm) ?? []));
    const exported = [...dist]
      .filter(([file]) => /^[\w-]+\.d\.ts$/.test(file))
      .flatMap(([, text]) => [...text.matchAll(/\{([^}]+)\}/g)].flatMap(([, list]) => list!.split(',')))
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*$/, ''),
      )
      .filter((name) => name !== '');

    expect(exported.length).toBeGreaterThan(300);
    expect(exported.filter((name) => !headings.has(name))).toEqual([]);
  });

  test('has no broken links', () => {
    const texts = textsIn(folder);
    const anchors = new Map([...texts].map(([file, text]) => [file, anchorsOf(text)]));
    const broken = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/\]\(([\w-]*(?:\.md)?)(?:#([\w-]+))?\)/g)]
        .filter(([, page, anchor]) => {
          const found = anchors.get(page || file);
          return !found || (anchor !== undefined && !found.has(anchor));
        })
        .map(([link]) => `${file}: ${link}`),
    );

    expect(broken).toEqual([]);
  });

  test('states which errors a method throws and what a field means', () => {
    const page = textsIn(folder).get('organizations.md');

    expect(page).toContain('- [`NotFoundError`](errors.md#notfounderror): No organization has this id.');
    expect(page).toContain(
      '| `domains` | [`OrganizationDomain`](#organizationdomain)`[]` | Email domains of the organization. |',
    );
  });
});

takesLong('the example calls in docs/reference', () => {
  test('cover each client operation that lacks a full example', () => {
    const pages = textsIn(folder);
    const silent = Object.values(operations).filter(({ client }) => {
      const [part = '', ...names] = client.split('.');
      const page = pages.get(`${part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`) ?? '';
      const sections = page.split(`\n### ${names.at(-1)}\n`).slice(1);
      return !sections.some((section) => /^\*\*(?:Call|Example)\*\*$/m.test(section.split(/\n###? /)[0]!));
    });

    expect(silent.map(({ client }) => client)).toEqual([]);
  });

  test('compile', () => {
    const calls = [...textsIn(folder).values()].flatMap((text) =>
      [...text.matchAll(/^\*\*Call\*\*\n\n```ts\n(.*)\n```$/gm)].map(([, call = '']) => call),
    );
    const given = new Set(
      calls.flatMap((call) => /\(([^()]*)\)/.exec(call.slice(call.indexOf('sallyport')))![1]!.match(/\w+/g) ?? []),
    );
    const place = '.cache/calls';
    mkdirSync(place, { recursive: true });
    writeFileSync(
      `${place}/calls.ts`,
      [
        "import { Sallyport } from 'sallyport';",
        'const sallyport = new Sallyport();',
        ...[...given].map((name) => `declare const ${name}: any;`),
        ...calls.map((call) => `{ ${call.replace('const url =', 'void')} }`),
      ].join('\n'),
    );

    const complaints = compile(place, ['calls.ts'], optionsIn('.'));

    expect(calls.length).toBeGreaterThan(70);
    expect(complaints).toEqual({ 'calls.ts': [], elsewhere: [] });
  });
});
