import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../scripts/frameworks-table.js';
import { exampleOf } from './application.js';
import { assertions } from './assertions.js';
import { type Framework, frameworks } from './frameworks.js';

const here = import.meta.dirname;
const root = join(here, '../..');
const all: readonly Framework[] = Object.values(frameworks);
const titles = assertions.map(({ title }) => title);
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const dependenciesIn = (folder: string) => {
  const { dependencies, devDependencies } = json(join(folder, 'package.json'));
  return { ...dependencies, ...devDependencies };
};
const entries = Object.keys(json(join(root, 'package.json')).exports);
const filesOf = (framework: Framework): string[] =>
  readdirSync(exampleOf(framework), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('the full suite has 35 assertions, and 24 of them are in every suite', () => {
  const everywhere = assertions.filter((one) => one.of === 'all');

  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBe(35);
  expect(everywhere.map(({ title }) => title)).toEqual([
    'redirects a visitor from a protected page to sign-in and back, and keeps the query string',
    'starts one sign-in if a link is followed and none if links are hovered over, and logs no console errors',
    'responds with 401 to a script that fetches a protected page',
    'answers an unknown callback with a 400 page, and does not redeem its code',
    'sets a session cookie that is limited to its host, hidden from scripts and kept out of shared caches',
    'refreshes an expired session once, and shows the requested page',
    'refreshes an expired session once in each of 20 races of 4 requests, and signs no user out',
    'still accepts a form after the access token has expired',
    'responds with 503 and Retry-After if a session must be refreshed during an outage, and later shows the page',
    'ends the session at the service on sign-out, clears the cookie and redirects to the home page',
    'shows the other organization and its permissions after a switch',
    'never shows signed-out visitors a protected page, however the path is spelled',
    'never shows signed-out visitors a page below a protected path, however the path is spelled',
    'never runs a protected API route for signed-out visitors, however the path is spelled',
    'never runs a protected action for signed-out visitors, however the path is spelled',
    'never shows signed-out visitors a page that requires a permission, however the path is spelled',
    'shows protected pages and API routes only to signed-in users, and other paths to everyone',
    'loads an open page with all its scripts and styles',
    'denies signed-out visitors access to 400 paths that are not listed as open',
    'protects a page at a rewritten URL if all paths are protected or the rewrite is visible to the middleware',
    'accepts API calls only with a bearer token or a session cookie',
    'returns the access token only to POST requests from its own pages',
    'returns a new access token and a new cookie if the old token has expired',
    'returns the session as JSON only to its own pages, and first refreshes an expired session',
  ]);
});

describe.each(all.map((one) => [one.name, one] as const))('the example for %s', (_, framework) => {
  test('uses the tested package versions', () => {
    const { sallyport, ...others } = dependenciesIn(exampleOf(framework));

    expect(sallyport).toBe('^0.1.0');
    expect(Object.values(others).filter((version) => !/^\d+\.\d+\.\d+/.test(String(version)))).toEqual([]);
    if (!framework.installed) expect(dependenciesIn(join(here, 'installed', framework.folder))).toEqual(others);
  });

  test('has no lock file and no generated files', () => {
    const generated = /lock|^(?:dist|build|out|node_modules|\.(?!env\.example$).*)$/;

    expect(readdirSync(exampleOf(framework)).filter((name) => generated.test(name))).toEqual([]);
  });

  test("uses one of the package's framework entry points, or at most 20 lines of glue code", () => {
    const { folder, glue } = framework;
    if (entries.includes(`./${folder}`)) return expect(glue).toBeUndefined();

    const files = (glue ?? []).map((file) => join(exampleOf(framework), file));
    expect(linesOf(framework)).toBeGreaterThan(0);
    expect(linesOf(framework)).toBeLessThanOrEqual(20);
    // The lines are counted in the format of the project.
    execFileSync(join(root, 'node_modules/.bin/biome'), ['format', ...files], { cwd: root });
    // Every other file that uses our functions is a page, or an answer of the application.
    const others = filesOf(framework).filter((file) => !files.includes(file));
    const asking = others.filter((file) => /'sallyport\/session'/.test(readFileSync(file, 'utf8')));
    expect(asking.filter((file) => !/\bapi\b|\bpages\b|\+page|\baccount\b/.test(file))).toEqual([]);
  });
});

test.each(all.map((one) => [one.name, one] as const))(
  'the full suite contains every assertion that the example for %s skips',
  (_, framework) => {
    expect(titles).toEqual(expect.arrayContaining(Object.keys(framework.without ?? {})));
  },
);

test('every example application is tested, and every framework in the table has a test file', () => {
  const named = readdirSync(here)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(here, name), 'utf8'))
    .join('\n');

  expect(readdirSync(join(root, 'examples/frameworks')).sort()).toEqual(
    [...new Set(all.map(({ folder }) => folder))].sort(),
  );
  const isDriven = (key: string) =>
    new RegExp(`\\bframeworks\\.${key}\\b|frameworks\\['${key}'\\]|\\{ ${key} \\} = frameworks;`).test(named);
  expect(Object.keys(frameworks).filter((key) => !isDriven(key))).toEqual([]);
});
