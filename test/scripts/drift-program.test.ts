import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { publicOperations } from '../spec/public-operations.js';

takesLong('the program that compares the API with a public description', () => {
  /** The operations of the public service, as its description lists them. */
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of publicOperations) {
    const name = path.replace(/:(\w+)/g, '{$1}');
    paths[name] = { ...paths[name], [method.toLowerCase()]: {} };
  }
  const changed = { ...paths, '/parrots': { get: {} } };

  const run = (place: string) =>
    new Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>((resolve) =>
      execFile(process.execPath, ['--import', 'tsx', 'scripts/drift.ts', place], (error, out, err) =>
        resolve({ code: error ? error.code : 0, out, err }),
      ),
    );

  function fileWith(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-drift-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'description.yaml'), text);
    return join(folder, 'description.yaml');
  }

  test('reports a difference in a file or at a URL, and exits with code 1', async () => {
    const server = await serve({ body: JSON.stringify({ paths: changed }) });
    const expected = { code: 1, out: '- GET /parrots is new\n', err: '' };

    expect(await run(fileWith(JSON.stringify({ paths: changed })))).toEqual(expected);
    expect(await run(server.url)).toEqual(expected);
  }, 60_000);

  test('reports nothing if the description in a file or at a URL is unchanged', async () => {
    const server = await serve({ body: JSON.stringify({ paths }) });
    const expected = { code: 0, out: '', err: '' };

    expect(await run(fileWith(JSON.stringify({ paths })))).toEqual(expected);
    expect(await run(server.url)).toEqual(expected);
  }, 60_000);

  test('rejects an error response or a file that is not an OpenAPI description', async () => {
    const server = await serve({ status: 500, body: 'later' });
    const page = await run(fileWith('a page'));
    const failure = await run(server.url);

    expect([page.code, page.out, failure.code, failure.out]).toEqual([1, '', 1, '']);
    expect(page.err).toContain('description.yaml is not a description in OpenAPI: it has no paths');
    expect(failure.err).toContain(`${server.url} answered with status 500`);
  }, 60_000);
});
