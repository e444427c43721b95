import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { touchedWhileLoading } from './loading.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
let metafile: Metafile;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-loading-'));
  ({ metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      index: 'src/index.ts',
      webhooks: 'src/webhooks/index.ts',
      session: 'src/session/index.ts',
      browser: 'src/browser/index.ts',
    },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    metafile: true,
  }));
  writeFileSync(join(folder, 'eager.mjs'), 'export const base = new Request("http://localhost"); crypto.randomUUID();');
  writeFileSync(join(folder, 'eager.cjs'), 'exports.send = globalThis.fetch;');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Source files that are evaluated when an entry is imported, before any call. */
const evaluatedBy = (entryPoint: string): string[] => {
  const files: string[] = [];
  const visit = (path: string): void => {
    const output = metafile.outputs[path]!;
    files.push(...Object.keys(output.inputs));
    for (const { path: next, kind } of output.imports) if (kind === 'import-statement') visit(next);
  };
  visit(Object.keys(metafile.outputs).find((path) => metafile.outputs[path]!.entryPoint === entryPoint)!);
  return files;
};

describe('during an import,', () => {
  test.each(['index', 'webhooks', 'session', 'browser'])('the entry point %s uses no web platform globals', (entry) => {
    expect(touchedWhileLoading('import', [`./${entry}.mjs`], folder)).toEqual({});
  });

  test('the check reports web platform globals that an entry uses', () => {
    expect(touchedWhileLoading('import', ['./eager.mjs'], folder)).toEqual({ './eager.mjs': ['Request', 'crypto'] });
    expect(touchedWhileLoading('require', ['./eager.cjs'], folder)).toEqual({ './eager.cjs': ['fetch'] });
  });

  test('the main entry evaluates no dependencies', () => {
    expect(evaluatedBy('src/index.ts')).toContain('src/transport/sending/send.ts');
    expect(evaluatedBy('src/index.ts').filter((file) => file.includes('node_modules'))).toEqual([]);
    expect(Object.keys(metafile.inputs)).toContain('node_modules/ky/distribution/index.js');
  });

  test('the main entry does not evaluate the descriptions of client methods', () => {
    const described = evaluatedBy('src/index.ts').filter((file) => /^src\/service\/(?!describe\/)/.test(file));

    // URLs are built synchronously.
    expect([...new Set(described)].sort()).toEqual(
      ['addresses', 'events/names', 'identifiers'].map((name) => `src/service/${name}.ts`),
    );
    expect(Object.keys(metafile.inputs)).toEqual(
      expect.arrayContaining(['src/service/organizations.ts', 'src/service/fga.ts']),
    );
  });

  test('the main entry does not evaluate the code for sessions and webhooks', () => {
    const evaluated = evaluatedBy('src/index.ts');

    expect(evaluated).toContain('src/client/cookie-session.ts');
    expect(
      evaluated.filter((file) => /^src\/session\/|\/(?:opened-session|seals?|deliveries|verify)\.ts$/.test(file)),
    ).toEqual([]);
    expect(Object.keys(metafile.inputs)).toEqual(
      expect.arrayContaining(['src/client/opened-session.ts', 'src/crypto/seal.ts', 'src/webhooks/verify.ts']),
    );
  });

  test('the session entry evaluates jose and iron-webcrypto, but no client code', () => {
    const packages = evaluatedBy('src/session/index.ts').flatMap(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
    );

    expect([...new Set(packages)].sort()).toEqual(['iron-webcrypto', 'jose', 'uint8array-extras']);
    expect(evaluatedBy('src/session/index.ts').filter((file) => /^src\/(?:client|transport)\//.test(file))).toEqual([]);
  });
});
