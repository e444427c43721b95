import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile, optionsIn, optionsOf } from '../builds/compiler.js';
import { type MethodRow, methodRowsOf, missingMethodsOf, movingPage, optionRowsOf } from '../moving/page.js';
import { requires } from '../runner/requirements.js';
import { folderOf, installed } from './run.js';
import { type Types, typesOf } from './types.js';

const root = join(import.meta.dirname, '../..');

const options = optionsOf({
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
});

/** The source files of the entries. */
const { paths = {}, pathsBasePath } = optionsIn(root);

/** Reads a file of test/moving with the import of @workos-inc/node, and without the comments that expect errors. */
const asTheirs = (file: string): string =>
  readFileSync(join(root, 'test/moving', file), 'utf8')
    .replace("import { Sallyport as WorkOS } from 'sallyport';", "import { WorkOS } from '@workos-inc/node';")
    .replace(/^ *\/\/ @ts-expect-error.*\n/gm, '');

/** The methods of both packages: of the client, its parts, a sealed session and a list. */
const receivers = `
import { WorkOS } from '@workos-inc/node';
import { Sallyport } from 'sallyport';
export interface Theirs {
  workos: WorkOS;
  session: ReturnType<WorkOS['userManagement']['loadSealedSession']>;
  list: Awaited<ReturnType<WorkOS['userManagement']['listUsers']>>;
}
export interface Ours {
  workos: Sallyport;
  session: ReturnType<Sallyport['userManagement']['loadSealedSession']>;
  list: ReturnType<Sallyport['userManagement']['listUsers']>;
  entry: typeof import('sallyport/webhooks');
}
export interface Constructors {
  theirs(options: ConstructorParameters<typeof WorkOS>[number]): void;
  ours(options: ConstructorParameters<typeof Sallyport>[number]): void;
}
`;

requires(installed('incumbent-11'))('during a move from @workos-inc/node,', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'moving-'));
    symlinkSync(join(folderOf('incumbent-11'), 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const complaintsAbout = (text: string): readonly string[] | undefined => {
    writeFileSync(join(folder, 'theirs.mts'), text);
    return compile(folder, ['theirs.mts'], options)['theirs.mts'];
  };

  test.each(['calls.ts', 'exceptions.ts'])('the code in test/moving/%s compiles with @workos-inc/node', (file) => {
    const text = asTheirs(file);

    expect(text).toContain("import { WorkOS } from '@workos-inc/node';");
    expect(complaintsAbout(text)).toEqual([]);
  });

  test('the compiler rejects a method that @workos-inc/node lacks', () => {
    const text = asTheirs('calls.ts').replaceAll('organizations.getOrganization(', 'organizations.getCompany(');

    expect(complaintsAbout(text)).toContainEqual(expect.stringMatching(/TS2339 .*'getCompany' does not exist/));
  });

  describe('docs/moving.md', () => {
    const page = movingPage();
    const rows = methodRowsOf(page);
    let types: Types;
    beforeAll(() => {
      const file = join(folder, 'receivers.mts');
      writeFileSync(file, receivers);
      types = typesOf(file, { ...options, paths, pathsBasePath });
    }, 120_000);

    test('lists every method of @workos-inc/node, including the methods of missing parts', () => {
      const methods = types.methodsOf('Theirs');
      const listed = [...rows.map(({ method }) => method), ...missingMethodsOf(page)];

      expect(methods.length).toBeGreaterThan(200);
      expect(methods).toEqual(expect.arrayContaining(['sso.getProfile', 'vault.encrypt', 'workos.get']));
      expect(methods.filter((method) => !listed.includes(method))).toEqual([]);
      expect(listed.filter((method) => !methods.includes(method))).toEqual([]);
      expect(listed.filter((method, at) => listed.indexOf(method) !== at)).toEqual([]);
    });

    /** Returns our method that a row names. */
    const ourName = ({ method, here, how }: MethodRow): string | undefined => {
      const name = here === 'same' ? method : /^`([\w.]+)/.exec(how)?.[1];
      return [name, `workos.${name}`, `list.${name}`, `entry.${name}`].find((one) => types.has('Ours', String(one)));
    };

    test('names an existing Sallyport method for each method that is not missing', () => {
      const found = rows.filter(({ here }) => here !== 'missing').map((row) => ourName(row));

      expect(found.length).toBeGreaterThan(100);
      expect(found).not.toContain(undefined);
      expect(ourName({ method: 'sso.getCompany', here: 'same', how: '' })).toBeUndefined();
    });

    test('lists exactly the options of @workos-inc/node that Sallyport lacks', () => {
      const lacking = rows.flatMap((row) => {
        const ours = row.here === 'missing' ? undefined : ourName(row);
        return ours
          ? types.lacking(['Theirs', row.method], ['Ours', ours]).map((option) => `${row.method} ${option}`)
          : [];
      });
      const ofClient = types.lacking(['Constructors', 'theirs'], ['Constructors', 'ours']);
      const listed = optionRowsOf(page).flatMap(({ method, options }) =>
        options.map((option) => `${method} ${option}`),
      );

      expect(lacking).toContain('organizations.updateOrganization stripeCustomerId');
      expect(listed.sort()).toEqual([...ofClient.map((option) => `new WorkOS ${option}`), ...lacking].sort());
    });

    test('names an existing Sallyport option or method for each option that is not missing', () => {
      const found = optionRowsOf(page).filter(({ here }) => !here.startsWith('missing'));
      const unknown = found.filter(({ method, here }) => {
        const row = rows.find((one) => one.method === method);
        const [, name = ''] = /^`([\w.]+)/.exec(here) ?? [];
        const options = row ? types.namesOf('Ours', ourName(row)!) : types.namesOf('Constructors', 'ours');
        return !options.includes(name) && !types.has('Ours', name);
      });

      expect(found.length).toBeGreaterThan(5);
      expect(unknown).toEqual([]);
    });
  });
});
