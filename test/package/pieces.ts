import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** A first call for each file of `src/client/operations`, by the name of the file. Every list is empty. */
export const firstCalls = {
  organizations: 'organizations.listOrganizations()',
  'user-management': 'userManagement.listUsers()',
  sso: 'sso.listConnections()',
  'directory-sync': 'directorySync.listDirectories()',
  events: "events.listEvents({ events: ['user.created'] })",
  'audit-logs': 'auditLogs.listActions()',
  fga: 'fga.listWarrants()',
  others: "legacy.scim.listUsers('directory_1')",
};

/** The chunks that a program has loaded at some time, by name, and their size when each is gzipped alone. */
export interface Loaded {
  readonly pieces: readonly string[];
  readonly gzipped: number;
}

const program = `
  import { Sallyport } from 'sallyport';
  const answer = JSON.stringify({ data: [], list_metadata: { before: null, after: null } });
  const headers = { 'content-type': 'application/json' };
  globalThis.sallyport = new Sallyport({
    apiKey: 'sk_test_1',
    baseUrl: 'https://api.acme.test',
    fetch: async () => new Response(answer, { headers }),
  });`;

// Each chunk logs when it is evaluated. The line for this is not counted.
const banner = '(globalThis.loaded ??= []).push(import.meta.url);';

/**
 * Packs a client into pieces, like a bundler that splits code, and makes each of the first calls in a new process. Returns the pieces
 * that the process had loaded at its start, and when the call was answered.
 */
export async function loadedBy(
  resolveDir: string,
): Promise<{ readonly start: Loaded; readonly after: Readonly<Record<keyof typeof firstCalls, Loaded>> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-pieces-'));
  try {
    await build({
      stdin: { contents: program, resolveDir, sourcefile: 'program.ts' },
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      banner: { js: banner },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      logLevel: 'silent',
    });
    const weigh = (urls: readonly string[]): Loaded => ({
      pieces: urls.map((url) => url.replace(/^.*\/|(?:-[0-9a-f]{8})?(?:-[A-Z0-9]{8})?\.mjs$/g, '')),
      gzipped: urls
        .map((url) => gzipSync(readFileSync(new URL(url), 'utf8').replace(banner, '').trim(), { level: 9 }).length)
        .reduce((sum, size) => sum + size, 0),
    });
    const loadedWith = (call: string): Loaded => {
      const run = `await import(${JSON.stringify(join(folder, 'stdin.mjs'))}); ${call}; process.stdout.write(JSON.stringify(loaded));`;
      return weigh(
        JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', run], { encoding: 'utf8' })),
      );
    };
    const after = Object.entries(firstCalls).map(([room, call]) => [room, loadedWith(`await sallyport.${call}`)]);
    // The names are those of the calls.
    return { start: loadedWith(''), after: Object.fromEntries(after) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
