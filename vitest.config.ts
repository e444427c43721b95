import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^sallyport$/, replacement: source('index.ts') },
      { find: /^sallyport\/emulator$/, replacement: source('emulator/index.ts') },
      { find: /^sallyport\/webhooks$/, replacement: source('webhooks/index.ts') },
      { find: /^sallyport\/session$/, replacement: source('session/index.ts') },
      { find: /^sallyport\/browser$/, replacement: source('browser/index.ts') },
      { find: /^sallyport\/(express|fastify|hono)$/, replacement: source('$1.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 180_000,
  },
});
