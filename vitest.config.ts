import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesByProject } from './test/runner/projects.js';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const all = Boolean(process.env.SALLYPORT_TEST_ALL);
const root = fileURLToPath(new URL('.', import.meta.url));
const { alone, rest, together } = filesByProject(root, 'test', all);
const usual = filesByProject(root, 'test');
const quiet = /^test\/transport\/limits\/replicas-/;

/** The cases of `npm test` once more, with random input and with the cryptography that other runtimes than Node get. */
const withWebCryptography = (name: string, files: readonly string[], isolate: boolean) => ({
  extends: true as const,
  resolve: { alias: [{ find: /^#crypto\/(.+)$/, replacement: source('crypto/web/$1.ts') }] },
  test: {
    name,
    isolate,
    env: { SALLYPORT_CRYPTOGRAPHY: 'web', SALLYPORT_TEST_ALL: '', SALLYPORT_RANDOM: '1' },
    include: files.filter((file) => /^test\/(?:crypto|session|webhooks)\//.test(file)),
  },
});

export default defineConfig({
  resolve: {
    alias: [
      { find: /^#crypto\/(.+)$/, replacement: source('crypto/native/$1.ts') },
      { find: /^sallyport$/, replacement: source('index.ts') },
      { find: /^sallyport\/emulator$/, replacement: source('emulator/index.ts') },
      { find: /^sallyport\/webhooks$/, replacement: source('webhooks/index.ts') },
      { find: /^sallyport\/session$/, replacement: source('session/index.ts') },
      { find: /^sallyport\/browser$/, replacement: source('browser/index.ts') },
      { find: /^sallyport\/(express|fastify|hono|next)$/, replacement: source('adapters/$1.ts') },
      { find: /^sallyport\/(mirror|stores|streams)$/, replacement: source('$1/index.ts') },
      { find: /^sallyport\/testing$/, replacement: source('testing/index.ts') },
      { find: /^sallyport\/react$/, replacement: source('react/index.ts') },
      { find: /^next\/\w+$/, replacement: fileURLToPath(new URL('./test/adapters/next-modules.ts', import.meta.url)) },
    ],
  },
  test: {
    // Tests wait for servers and programs, and the suites of browsers wait half of the time, so there are more workers than cores.
    maxWorkers: Math.ceil(availableParallelism() * (all ? 2 : 1.5)),
    // Tests allocate many short-lived objects. With a larger young generation they take 6 % less processor time.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ['test/runner/restore.ts'],
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'together', include: together, isolate: false } },
      ...(all
        ? [
            {
              extends: true as const,
              test: { name: 'rest', include: rest.filter((file) => !quiet.test(file)), isolate: false },
            },
            // Eight processes share a limit by the second, so these tests need a quiet machine. They start after all others.
            {
              extends: true as const,
              test: { name: 'quiet', include: rest.filter((file) => quiet.test(file)), sequence: { groupOrder: 1 } },
            },
            withWebCryptography('web alone', usual.alone, true),
            withWebCryptography('web', usual.together, false),
          ]
        : []),
    ],
  },
});
