import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { developmentPort } from '../../src/cli/development-port.js';
import { frameworks } from '../../src/cli/frameworks.js';

const frameworkNamed = (name: string) => frameworks.find((one) => one.name === name);

function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-port-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('the port of an application in development comes from its dev script', () => {
  test.each([
    ['next', 'next dev --turbopack -p 4321', 4321],
    ['next', 'next dev -p4321', 4321],
    ['next', 'next dev --port=4321', 4321],
    ['next', 'PORT=4321 next dev', 4321],
    ['next', 'cross-env PORT=4321 next dev', 4321],
    ['next', 'concurrently "sallyport emulator --port 4100" "next dev --port 4321"', 4321],
    ['next', 'sallyport dev --port 4200 -- next dev -p 4321', 4321],
    ['next', 'sallyport dev --port 4200 -- next dev', 3000],
    ['next', 'storybook dev -p 6006 & next dev', 3000],
    ['next', 'next dev -p 0', 3000],
    ['next', 'next dev -p $WEB_PORT', 3000],
    ['sveltekit', 'vite dev --port 8080', 8080],
    ['sveltekit', 'vite dev', 5173],
    ['nuxt', 'nuxt dev --port 8080', 8080],
    ['nuxt', 'nuxi dev -p 8080', 8080],
    ['astro', 'astro dev --port 8080', 8080],
    ['tanstack-start', 'vite dev --port 8080', 8080],
    ['tanstack-start', 'vite dev', 3000],
    ['react-router', 'react-router dev --port 8080', 8080],
    ['fastify', 'PORT=8080 node server.js', 8080],
    ['express', 'PORT=8080 tsx watch src/server.ts', 8080],
    ['hono', 'tsx watch src/index.ts', 3000],
    ['react', 'vite --port 8080', 8080],
  ])('on %s: %s', (name, dev, port) => {
    expect(developmentPort(folderWith(), { scripts: { dev } }, frameworkNamed(name))).toBe(port);
  });
});

describe('the port of an application in development comes from its configuration', () => {
  const inVite = 'export default defineConfig({ server: { port: 8080 } });\n';

  test.each([
    ['sveltekit', 'vite.config.js', inVite, 8080],
    ['react-router', 'vite.config.ts', inVite, 8080],
    ['tanstack-start', 'vite.config.mts', inVite, 8080],
    ['react', 'vite.config.ts', inVite, 8080],
    ['astro', 'astro.config.mjs', inVite, 8080],
    ['nuxt', 'nuxt.config.ts', 'export default defineNuxtConfig({ devServer: { host: "0.0.0.0", port: 8080 } })', 8080],
    ['sveltekit', 'vite.config.ts', 'server: { hmr: { port: 1 }, proxy: { "/api": {} }, port: 8080 }', 8080],
    ['sveltekit', 'vite.config.ts', '// server: { port: 8080 }\nserver: { open: true }', 5173],
    ['sveltekit', 'vite.config.ts', '/* server: { port: 8080 } */', 5173],
    ['sveltekit', 'vite.config.ts', 'server: { hmr: { port: 24678 } }', 5173],
    ['sveltekit', 'vite.config.ts', 'preview: { port: 4173 }', 5173],
    ['sveltekit', 'vite.config.ts', 'server: { port: Number(process.env.WEB_PORT) }', 5173],
    ['nuxt', 'nuxt.config.ts', inVite, 3000],
  ])('on %s, in %s: %s', (name, file, text, port) => {
    expect(developmentPort(folderWith({ [file]: text }), {}, frameworkNamed(name))).toBe(port);
  });
});

test('the command of sallyport dev comes before the dev script, PORT and the configuration', () => {
  const nuxt = frameworkNamed('nuxt');
  const folder = folderWith({ 'nuxt.config.ts': 'devServer: { port: 1004 }' });
  const scripts = { dev: 'nuxt dev --port 1002' };
  const variable = '1003';

  expect(developmentPort(folder, { scripts }, nuxt, { command: 'npx nuxt dev --port 1001', variable })).toBe(1001);
  expect(developmentPort(folder, { scripts }, nuxt, { command: 'npm run dev', variable })).toBe(1002);
  expect(developmentPort(folder, {}, nuxt, { command: 'npm run dev', variable })).toBe(1003);
  expect(developmentPort(folder, {}, nuxt, { command: 'npm run dev' })).toBe(1004);
});

test('PORT does not change the port of Vite, which ignores it', () => {
  expect(developmentPort(folderWith(), {}, frameworkNamed('sveltekit'), { variable: '1003' })).toBe(5173);
  expect(developmentPort(folderWith(), {}, undefined, { variable: '1003' })).toBe(1003);
});
