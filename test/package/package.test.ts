import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inlinedIn, licenseOf } from '../../scripts/third-party-licenses.js';
import { version } from '../../src/version.js';
import { takesLong } from '../runner/requirements.js';
import { faultsOfBill } from './bill-schema.js';
import { bundle } from './bundle.js';
import { suiteOfBundles } from './bundles.js';
import { complaintsOf, onlyTheWrong } from './consumers.js';
import { type Installed, packAndInstall } from './install.js';
import { touchedWhileLoading } from './loading.js';
import { suiteOfReadme } from './readme.js';

const here = (file: string) => fileURLToPath(new URL(`./${file}`, import.meta.url));

/** Entries that run wherever `fetch` exists. */
const web = [
  'index',
  'session',
  'webhooks',
  'browser',
  'react',
  'stores',
  'streams',
  'mirror',
  'express',
  'fastify',
  'hono',
  'next',
];

takesLong('after npm pack,', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await packAndInstall();
    // It has no types of React, which only its own entry needs.
    symlinkSync(
      fileURLToPath(new URL('../../node_modules/react', import.meta.url)),
      join(installed.folder, 'node_modules/react'),
    );
    // Packing takes half a minute, and several minutes if other programs use the cores.
  }, 600_000);
  afterAll(() => installed?.remove());

  const manifest = () =>
    JSON.parse(readFileSync(join(installed.folder, 'node_modules/sallyport/package.json'), 'utf8'));

  describe('the tarball', () => {
    test('contains exactly the built entries and the documents', () => {
      const documents = [
        'package.json',
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'SECURITY.md',
        'llms.txt',
        'THIRD-PARTY-LICENSES',
        'sbom.cdx.json',
        'seed.schema.json',
      ];
      const entries = [...web, 'emulator', 'testing'].flatMap((entry) =>
        ['js', 'cjs', 'd.ts', 'd.cts'].map((ending) => `dist/${entry}.${ending}`),
      );

      const types = ['service', 'client', 'session', 'emulator'].map((folder) => `dist/types/${folder}.d.cts`);

      expect(installed.files).toEqual(expect.arrayContaining([...documents, ...entries, ...types, 'dist/cli.js']));
      const others = installed.files.filter((file) => !documents.includes(file));
      expect(
        others.filter(
          (file) =>
            !/^dist\/(?:node\/|emulator\/)?[\w.-]+\.(?:c?js|d\.c?ts)$|^dist\/types\/[\w-]+\.d\.cts$|^(?:docs|examples|src\/cli\/init\/templates)\//.test(
              file,
            ),
        ),
      ).toEqual([]);
      // These pictures are shown from the repository, and not needed in node_modules.
      expect(installed.files.filter((file) => file.startsWith('docs/pictures/'))).toEqual([]);
    });

    test('is smaller than 2.02 MB, and smaller than 7.3 MB once installed', () => {
      expect(installed.packed).toBeLessThan(2_020_000);
      expect(installed.bytes).toBeLessThan(7_300_000);
    });

    test('has only optional peer dependencies and no install scripts', () => {
      const { dependencies = {}, peerDependencies, peerDependenciesMeta, scripts, sideEffects, engines } = manifest();

      expect(dependencies).toEqual({});
      for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
      expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
      expect(sideEffects).toBe(false);
      expect(engines).toEqual({ node: '>=20.19.0' });
    });

    test('contains the version number that the client sends with requests', () => {
      expect(manifest().version).toBe(version);
    });

    test('lists the license of every inlined package', () => {
      const { inlinedDependencies } = manifest();
      const licenses = readFileSync(join(installed.folder, 'node_modules/sallyport/THIRD-PARTY-LICENSES'), 'utf8');

      expect(Object.keys(inlinedDependencies)).toEqual(expect.arrayContaining(['ky', 'hono', 'zod']));
      for (const [name, itsVersion] of Object.entries(inlinedDependencies)) {
        expect(licenses).toContain(`\n${name} ${itsVersion}, `);
        expect(licenses).toContain(`\n${name} ${itsVersion} (`);
      }
    });

    test('contains a valid CycloneDX bill of materials of all inlined packages', () => {
      const { inlinedDependencies } = manifest();
      const bill = JSON.parse(readFileSync(join(installed.folder, 'node_modules/sallyport/sbom.cdx.json'), 'utf8'));
      const packages = bill.components.map(({ group, name, version }: Record<string, string>) => [
        group ? `${group}/${name}` : name,
        version,
      ]);

      expect(faultsOfBill(bill)).toEqual([]);
      expect(bill.metadata.component).toMatchObject({
        name: 'sallyport',
        version,
        purl: `pkg:npm/sallyport@${version}`,
      });
      expect(Object.fromEntries(packages)).toEqual(inlinedDependencies);
      for (const { hashes, licenses } of bill.components) {
        expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
        expect(licenses).toEqual([{ license: { id: expect.any(String), acknowledgement: 'declared' } }]);
      }
    });

    test('contains no source maps and no references to source maps', () => {
      expect(installed.files.filter((file) => file.endsWith('.map'))).toEqual([]);
      for (const file of installed.files.filter((one) => /\.c?js$/.test(one) && one.startsWith('dist/'))) {
        const text = readFileSync(join(installed.folder, 'node_modules/sallyport', file), 'utf8');
        expect(text).not.toMatch(/\n\/\/# sourceMappingURL=/);
      }
    });

    test('contains no ES module that imports emulator-body.cjs', () => {
      const folder = join(installed.folder, 'node_modules/sallyport');
      const importers = installed.files.filter(
        (file) =>
          file.endsWith('.js') &&
          /\b(?:from|import)\s*\(?\s*['"][^'"]*emulator-body/.test(readFileSync(join(folder, file), 'utf8')),
      );

      expect(installed.files).toContain('dist/emulator-body.cjs');
      expect(importers).toEqual([]);
    });

    test('imports no types from dependencies, except from React in the React entry', () => {
      const peers: Readonly<Record<string, readonly string[]>> = { 'dist/types/react.d.cts': ['react'] };
      const declarations = installed.files.filter((file) => /^dist\/.*\.d\.c?ts$/.test(file));

      expect(declarations.length).toBeGreaterThanOrEqual(6);
      for (const file of declarations) {
        const text = readFileSync(join(installed.folder, 'node_modules/sallyport', file), 'utf8');
        const foreign = [...text.matchAll(/(?:from|import\()\s*['"](?!\.)([^'"]+)['"]/g)].map(([, name]) => name);
        expect({ file, foreign }).toEqual({ file, foreign: peers[file] ?? [] });
      }
    });
  });

  test('a build fails if an inlined package has no license file', () => {
    const bare = join(installed.folder, 'node_modules/bare');
    execFileSync('mkdir', ['-p', bare]);
    writeFileSync(join(bare, 'package.json'), '{"name":"bare","version":"1.0.0"}');
    const build = {
      outputs: {
        'dist/index.js': {
          entryPoint: 'src/index.ts',
          inputs: { [join(bare, 'index.js')]: { bytesInOutput: 1 } },
          imports: [],
        },
      },
    };

    expect(() => inlinedIn([build])).toThrow('bare 1.0.0 is inlined and has no license file');
    writeFileSync(join(bare, 'LICENSE.md'), 'Do as you please.\n');
    expect(licenseOf(bare).text).toBe('Do as you please.');
  });

  describe('an entry', () => {
    const names: Readonly<Record<string, string>> = {
      sallyport: 'Sallyport',
      'sallyport/session': 'createSessions',
      'sallyport/webhooks': 'verifyWebhook',
      'sallyport/browser': 'createBrowserClient',
      'sallyport/react': 'useSession',
      'sallyport/stores': 'memoryStore',
      'sallyport/streams': 'latest',
      'sallyport/mirror': 'mirror',
      'sallyport/express': 'expressSession',
      'sallyport/fastify': 'fastifySession',
      'sallyport/hono': 'honoSession',
      'sallyport/next': 'nextSessions',
      'sallyport/emulator': 'createEmulator',
    };

    test('can be loaded with import and require', () => {
      const program = `
      import { createRequire } from 'node:module';
      const require = createRequire(process.cwd() + '/');
      const loaded = {};
      for (const [entry, name] of ${JSON.stringify(Object.entries(names))}) {
        const [imported, required] = [await import(entry), require(entry)];
        const isSame = Object.keys(imported).sort().join() === Object.keys(required).sort().join();
        loaded[entry] = [typeof imported[name], typeof required[name], isSame];
      }
      console.log(JSON.stringify(loaded));`;
      const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: installed.folder,
        encoding: 'utf8',
      });

      expect(JSON.parse(output)).toEqual(
        Object.fromEntries(Object.keys(names).map((entry) => [entry, ['function', 'function', true]])),
      );
    });

    test.each(['js', 'cjs'])('for React starts with "use client" (react.%s)', (ending) => {
      const code = readFileSync(join(installed.folder, `node_modules/sallyport/dist/react.${ending}`), 'utf8');

      expect(code).toMatch(/^(?:"use strict";\s*)?["']use client["'];/);
    });

    test('that package.json does not export cannot be loaded', () => {
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '--eval', "await import('sallyport/dist/index.js')"],
        { cwd: installed.folder, encoding: 'utf8' },
      );

      expect(status).toBe(1);
      expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
    });

    test.each(['import', 'require'] as const)('uses no web platform globals when loaded with %s', (how) => {
      const entries = [...web, 'emulator'].map((entry) => (entry === 'index' ? 'sallyport' : `sallyport/${entry}`));

      expect(touchedWhileLoading(how, entries, installed.folder)).toEqual({});
    });
  });

  test.each(web.flatMap((entry) => [`${entry}.js`, `${entry}.cjs`]))(
    'the web entry point %s imports no Node built-ins and no dependencies',
    async (file) => {
      const { files } = await bundle(`export * from './node_modules/sallyport/dist/${file}';`, installed.folder);

      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((one) => one !== '<stdin>' && !one.includes('/sallyport/dist/'))).toEqual([]);
    },
  );

  test('a program that imports a Node module cannot be bundled for the web', async () => {
    await expect(
      bundle("import { readFileSync } from 'node:fs'; readFileSync('a');", installed.folder),
    ).rejects.toThrow('node:fs');
  });

  test('errors from all entries are recognized in both module formats', () => {
    copyFileSync(here('identity.mjs'), join(installed.folder, 'identity.mjs'));

    const report: Record<string, boolean[]> = JSON.parse(
      execFileSync(process.execPath, ['identity.mjs'], { cwd: installed.folder, encoding: 'utf8' }),
    );

    expect(Object.keys(report)).toHaveLength(14);
    for (const [judgement, answers] of Object.entries(report))
      expect({ judgement, answers }).toEqual({ judgement, answers: answers.map(() => true) });
  });

  describe('the emulator', () => {
    test.each(['import', 'require'])('contains all required libraries when loaded with %s', (how) => {
      copyFileSync(here('emulator.mjs'), join(installed.folder, 'emulator.mjs'));
      writeFileSync(join(installed.folder, 'seed.yaml'), 'organizations:\n  - name: Northwind\n');

      const output = execFileSync(process.execPath, ['emulator.mjs', how], { cwd: installed.folder, encoding: 'utf8' });

      expect(JSON.parse(output)).toEqual({
        yaml: ['Northwind'],
        qrcode: 'data:image/png;base64,',
        jsonSchema: ['unprocessable', 'unprocessable', 'accepted'],
        csv: true,
      });
    });
  });

  describe('the packaged emulator', () => {
    test('loads the console only when a console page is opened', () => {
      const program = `const { createEmulator } = require('sallyport/emulator');
const { readFileSync } = require('node:fs');
const texts = () => Object.keys(require.cache).map((file) => readFileSync(file, 'utf8'));
const bytes = () => texts().join('').length;
const hasConsole = () => texts().some((text) => text.includes('Webhook endpoints, and the newest deliveries to them.'));
(async () => {
  const emulator = await createEmulator();
  const { apiKey } = emulator.credentials;
  const { status } = await emulator.fetch('/organizations', { headers: { authorization: 'Bearer ' + apiKey } });
  const before = { status, bytes: bytes(), hasConsole: hasConsole() };
  const page = await emulator.fetch('/', { headers: { accept: 'text/html' } });
  console.log(JSON.stringify({ before, after: { status: page.status, hasConsole: hasConsole() } }));
})();`;
      const output = execFileSync(process.execPath, ['--eval', program], { cwd: installed.folder, encoding: 'utf8' });

      const { before, after } = JSON.parse(output);
      expect(before).toMatchObject({ status: 200, hasConsole: false });
      expect(before.bytes).toBeLessThan(800_000);
      expect(after).toEqual({ status: 200, hasConsole: true });
    });
  });

  describe('the command-line tool', () => {
    test('prints its version', () => {
      const output = execFileSync(join(installed.folder, 'node_modules/.bin/sallyport'), ['--version'], {
        encoding: 'utf8',
      });

      expect(output).toContain(version);
    });

    test('finds a YAML seed, and restarts after a change to the seed', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sallyport-command-'));
      const seed = join(folder, 'sallyport.seed.yaml');
      writeFileSync(seed, 'organizations:\n  - name: Acme\n');
      const program = spawn(
        join(installed.folder, 'node_modules/.bin/sallyport'),
        ['emulator', '--port', '0', '--watch', '--json'],
        { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      try {
        const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
        const next = async () => JSON.parse((await lines.next()).value);

        expect(await next()).toMatchObject({ seed: 'sallyport.seed.yaml' });
        writeFileSync(seed, 'organizations:\n  - name: Acme\n  - name: Beta\n');
        expect(await next()).toEqual({ seed: 'sallyport.seed.yaml', changes: ['organizations'] });
      } finally {
        program.kill();
        rmSync(folder, { recursive: true });
      }
    });
  });

  // The other kinds of programs are in test/package/resolutions.test.ts.
  describe('the types', () => {
    test('accept correct programs and reject an incorrect program (module nodenext)', () => {
      expect(complaintsOf(installed, 'nodenext', 'nodenext')).toEqual(onlyTheWrong);
    }, 60_000);
  });

  describe('a bundle of the installed package', () => suiteOfBundles(() => installed));
  describe("the first code block of the installed package's README", () => suiteOfReadme(() => installed));
});
