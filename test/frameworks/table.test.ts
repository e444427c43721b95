import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../scripts/frameworks-table.js';
import { exampleOf } from './application.js';
import { subjects, titles } from './assertions.js';
import { type Framework, frameworks } from './frameworks.js';

const here = import.meta.dirname;
const root = join(here, '../..');
const all: readonly Framework[] = Object.values(frameworks);
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

test('the full suite makes 53 assertions, and every suite 25', () => {
  const everywhere = Object.values(subjects).flatMap((some) => some.filter((one) => one.of === 'all'));

  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBe(53);
  expect(everywhere.map(({ title }) => title)).toEqual([
    'a protected page leads a stranger to the sign-in and back, query and all',
    'a hook that runs after the sign-in chooses the page',
    'links begin one sign-in when they are followed and none before, and the console stays clean',
    'a script that fetches a protected page gets 401 and begins no sign-in',
    "the callback of nobody's sign-in is a page with status 400, which spends no code",
    'the cookie is for this host alone and for no script, and no cache keeps the answer that sets it',
    'a session whose access token has ended is refreshed once, and the page of the same request shows it',
    '20 races of 4 requests for a refresh: one refresh each, and nobody is signed out',
    'a form that is sent after the access token has ended does its work',
    'a session to be refreshed gets a page with status 503 and Retry-After, keeps its cookie, and works afterwards',
    'it ends the session at the service, clears the cookie and leads home',
    'switching shows the other organization and what the user may do there',
    'a stranger sees no protected page, whatever the spelling of its path',
    'a stranger sees no page below a protected path, whatever its spelling',
    'a stranger runs no protected API route, whatever the spelling of its path',
    'a stranger runs no protected action, whatever the spelling of its path',
    'a stranger sees no page for a permission, whatever the spelling of its path',
    'a user reaches the protected pages and API routes, and a stranger what no rule names',
    'an open page of a site that protects everything else loads with all its scripts and styles',
    'none of 1,000 paths that the application does not list is open to a stranger',
    'a page is protected at each address that its router rewrites, if the middleware sees it',
    'an access token lets a program in without a cookie, as the cookie does a browser, and nobody else',
    'a page gets the access token of its session by POST, and nobody else does',
    'a page gets a new access token and cookie when its session is due',
    'a page gets its session as JSON, refreshed if it is due, and pages of other sites get nothing',
  ]);
});

describe.each(all)('the application on $name', (framework) => {
  test('is tested with the packages that it asks for', () => {
    const { sallyport, ...others } = dependenciesIn(exampleOf(framework));

    expect(sallyport).toBe('^0.1.0');
    expect(Object.values(others).filter((version) => !/^\d+\.\d+\.\d+/.test(String(version)))).toEqual([]);
    if (!framework.installed) expect(dependenciesIn(join(here, 'installed', framework.folder))).toEqual(others);
  });

  test('has no lock and nothing that is generated', () => {
    const generated = /lock|^(?:dist|build|out|node_modules|\.(?!env\.example$).*)$/;

    expect(readdirSync(exampleOf(framework)).filter((name) => generated.test(name))).toEqual([]);
  });

  test('leaves out no assertion that there is not', () => {
    expect(titles).toEqual(expect.arrayContaining(Object.keys(framework.without ?? {})));
  });

  test('has an entry of our package, or joins with it in 20 lines', () => {
    const { folder, glue } = framework;
    if (entries.includes(`./${folder}`)) return expect(glue).toBeUndefined();

    const files = (glue ?? []).map((file) => join(exampleOf(framework), file));
    expect(linesOf(framework)).toBeGreaterThan(0);
    expect(linesOf(framework)).toBeLessThanOrEqual(20);
    // As the rest of the project is formatted.
    execFileSync(join(root, 'node_modules/.bin/biome'), ['format', ...files], { cwd: root });
    // Every other file that uses our functions is a page, or an answer of the application.
    const others = filesOf(framework).filter((file) => !files.includes(file));
    const asking = others.filter((file) => /'sallyport\/session'/.test(readFileSync(file, 'utf8')));
    expect(asking.filter((file) => !/\bapi\b|\bpages\b|\+page|\baccount\b/.test(file))).toEqual([]);
  });
});

test('every application is driven, and every framework of the table has a file of tests', () => {
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
