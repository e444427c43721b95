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

describe('the development port', () => {
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
  ])('is $2 for a project with %s and the dev script "%s"', (name, dev, port) => {
    expect(developmentPort(folderWith(), { scripts: { dev } }, frameworkNamed(name))).toBe(port);
  });
});

describe('the development port', () => {
  test.each([
    ['next', 'npm run serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'npm run --silent serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'npm start', { start: 'next dev -p 4321' }, 4321],
    ['next', 'pnpm serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'yarn run serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'bun run serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'node --run serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'turbo run serve --filter=web', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'sallyport dev --port 4200 -- npm run serve', { serve: 'next dev -p 4321' }, 4321],
    ['next', 'npm run serve -- -p 4321', { serve: 'next dev' }, 4321],
    ['next', 'pnpm serve --port 4321', { serve: 'next dev' }, 4321],
    ['next', 'PORT=4321 npm run serve', { serve: 'next dev' }, 4321],
    ['next', 'npm run one', { one: 'npm run two', two: 'next dev -p 4321' }, 4321],
    ['next', 'npm run one', { one: 'npm run two', two: 'npm run one' }, 3000],
    ['next', 'npm run dev', {}, 3000],
    ['next', 'run-p mail serve', { mail: 'maildev --port 1080', serve: 'next dev -p 4321' }, 4321],
    ['next', 'npm-run-all -p "dev:*"', { 'dev:css': 'tailwind -p 1', 'dev:web': 'next dev -p 4321' }, 4321],
    ['next', 'concurrently "npm:mail" "npm:serve"', { mail: 'maildev -p 1080', serve: 'next dev -p 4321' }, 4321],
    ['next', 'npm run mail & next dev', { mail: 'maildev --port 1080' }, 3000],
    ['next', 'npx next dev', { next: 'next dev -p 4321' }, 3000],
    ['sveltekit', 'npm run serve', { serve: 'vite dev --port 8080' }, 8080],
    ['express', 'npm run serve', { serve: 'PORT=8080 node server.js' }, 8080],
  ])('is $3 for a project with %s, the dev script "%s" and the additional scripts %j', (name, dev, scripts, port) => {
    expect(developmentPort(folderWith(), { scripts: { dev, ...scripts } }, frameworkNamed(name))).toBe(port);
  });
});

describe('the development port', () => {
  test.each([
    ['next', 'sh dev.sh', 4321, '#!/bin/sh\n# next dev -p 1\nnext dev -p 4321\n'],
    ['next', './dev.sh', 4321, 'export PORT=4321\nexec next dev\n'],
    ['next', 'bash ./dev.sh', 3000, 'npm run dev\n'],
    ['next', 'sh missing.sh', 3000, ''],
    ['next', 'export PORT=4321 && next dev', 4321, ''],
    ['next', 'set PORT=4321&& next dev', 4321, ''],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: A variable of the shell with a default.
    ['next', 'next dev -p ${WEB_PORT:-4321}', 4321, ''],
    ['sveltekit', 'PORT=4321 vite dev', 5173, ''],
  ])('is $2 for a project with %s and the shell command "%s"', (name, dev, port, text) => {
    const folder = folderWith(text === '' ? {} : { 'dev.sh': text });

    expect(developmentPort(folder, { scripts: { dev } }, frameworkNamed(name))).toBe(port);
  });
});

describe('the development port', () => {
  test.each([
    ['express', '.env', 8080],
    ['fastify', '.env.local', 8080],
    ['hono', '.env', 8080],
    ['nuxt', '.env', 8080],
    ['next', '.env', 3000],
    ['sveltekit', '.env', 5173],
  ])('is $2 for a project with %s and PORT=8080 in %s', (name, file, port) => {
    expect(developmentPort(folderWith({ [file]: 'PORT=8080\n' }), {}, frameworkNamed(name))).toBe(port);
  });

  test('comes from the dev script or the shell rather than from PORT in .env', () => {
    const folder = folderWith({ '.env': 'PORT=1003\n' });
    const express = frameworkNamed('express');

    expect(developmentPort(folder, { scripts: { dev: 'PORT=1001 node .' } }, express)).toBe(1001);
    expect(developmentPort(folder, {}, express, { variable: '1002' })).toBe(1002);
  });
});

describe('the development port', () => {
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
  ])('is $3 for a project with %s if %s contains %j', (name, file, text, port) => {
    expect(developmentPort(folderWith({ [file]: text }), {}, frameworkNamed(name))).toBe(port);
  });
});

test('the port in the command passed to sallyport dev overrides the dev script, PORT and the configuration', () => {
  const nuxt = frameworkNamed('nuxt');
  const folder = folderWith({ 'nuxt.config.ts': 'devServer: { port: 1004 }' });
  const scripts = { dev: 'nuxt dev --port 1002' };
  const variable = '1003';

  expect(developmentPort(folder, { scripts }, nuxt, { command: 'npx nuxt dev --port 1001', variable })).toBe(1001);
  expect(developmentPort(folder, { scripts }, nuxt, { command: 'npm run dev', variable })).toBe(1002);
  expect(developmentPort(folder, {}, nuxt, { command: 'npm run dev', variable })).toBe(1003);
  expect(developmentPort(folder, {}, nuxt, { command: 'npm run dev' })).toBe(1004);
});

test("the shell variable PORT does not change Vite's development port", () => {
  expect(developmentPort(folderWith(), {}, frameworkNamed('sveltekit'), { variable: '1003' })).toBe(5173);
  expect(developmentPort(folderWith(), {}, undefined, { variable: '1003' })).toBe(1003);
});
