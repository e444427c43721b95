import { readFileSync } from 'node:fs';
import { Sallyport } from 'sallyport';
import * as webhooks from 'sallyport/webhooks';
import { describe, expect, test } from 'vitest';
import { methodRowsOf, missingMethodsOf, movingPage, optionRowsOf } from './page.js';

const sallyport = new Sallyport({
  apiKey: 'sk_test_1',
  clientId: 'client_1',
  baseUrl: 'https://id.acme.test',
  fetch: async () => Response.json({ data: [], list_metadata: { before: null, after: null } }),
});
const rooms: Readonly<Record<string, unknown>> = {
  ...sallyport,
  list: sallyport.userManagement.listUsers(),
  session: sallyport.userManagement.loadSealedSession({
    sessionData: '',
    cookiePassword: 'a password of more than 32 characters',
  }),
};

const has = (path: string): boolean => {
  const [room = '', name = ''] = path.split('.');
  return typeof Object(rooms[room])[name] === 'function';
};

/** Checks whether the first name in a cell exists: `mfa.getFactor`, `toArray` of a list, `verifyWebhook` of an entry. */
const names = (how: string): boolean => {
  const [, name = ''] = /^`([\w.]+)/.exec(how) ?? [];
  if (how.includes('of `sallyport/webhooks`')) return typeof Object(webhooks)[name] === 'function';
  if (!name.includes('.') && typeof Object(sallyport)[name] === 'function') return true;
  return has(name) || has(`list.${name}`);
};

describe('in docs/moving.md,', () => {
  const readme = readFileSync('README.md', 'utf8');
  const rows = methodRowsOf(movingPage());
  const methodsThat = (here: string): string[] => rows.filter((row) => row.here === here).map(({ method }) => method);

  test('each method is listed as "same", "renamed" or "missing"', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect([...new Set(rows.map(({ here }) => here))].sort()).toEqual(['missing', 'renamed', 'same']);
  });

  test('each method listed as "same" exists in the client', () => {
    expect(methodsThat('same').filter((method) => !has(method))).toEqual([]);
  });

  test('no method listed as "missing" or "renamed" exists in the client under the listed name', () => {
    expect([...methodsThat('missing'), ...methodsThat('renamed')].filter(has)).toEqual([]);
  });

  test('each method listed as "renamed" exists under its new name', () => {
    expect(rows.filter(({ here, how }) => here === 'renamed' && !names(how))).toEqual([]);
  });

  test('the numbers of "same", "renamed" and "missing" methods match the README', () => {
    const counts = ['same', 'renamed', 'missing'].map((here) => methodsThat(here).length);

    expect(/(\d+) methods keep their names, (\d+) have others, and (\d+) are missing/.exec(readme)?.slice(1)).toEqual(
      counts.map(String),
    );
  });

  const parts = new Set(missingMethodsOf(movingPage()).map((method) => method.split('.')[0]!));

  test('the missing parts include the three parts that the README names', () => {
    const [, named = ''] =
      /\[Eleven parts are missing\]\(docs\/moving\.md#missing-parts\), such as the newer (.+?)\./s.exec(readme) ?? [];
    const names = named
      .toLowerCase()
      .replace(/`/g, '')
      .split(/, | and /);

    expect(names).toEqual(['authorization', 'vault', 'widgets']);
    expect([...parts]).toEqual(expect.arrayContaining(names));
  });

  test('the eleven missing parts are absent from the client', () => {
    expect(parts.size).toBe(11);
    expect([...parts].filter((part) => part in rooms)).toEqual([]);
  });
});

test('the parser of docs/moving.md reads methods and options from the tables', () => {
  const page = [
    '# Moving',
    '## Every method',
    '| `sso` | `getProfile`, `getConnection` | `getCompany` |',
    '| `pkce` | | `generate` |',
    '| `workos.get` | renamed | `request`, with a path |',
    '## Missing parts',
    '| `radar` | `createAttempt`, `updateAttempt` |',
    '## Every option',
    '| `new WorkOS` | `https`, `port` | `baseUrl` |',
    '',
  ].join('\n');

  expect(methodRowsOf(page)).toEqual([
    { method: 'sso.getProfile', here: 'same', how: '' },
    { method: 'sso.getConnection', here: 'same', how: '' },
    { method: 'sso.getCompany', here: 'missing', how: '' },
    { method: 'pkce.generate', here: 'missing', how: '' },
    { method: 'workos.get', here: 'renamed', how: '`request`, with a path' },
  ]);
  expect(missingMethodsOf(page)).toEqual(['radar.createAttempt', 'radar.updateAttempt']);
  expect(optionRowsOf(page)).toEqual([{ method: 'new WorkOS', options: ['https', 'port'], here: '`baseUrl`' }]);
  expect([has('sso.getProfile'), has('sso.getCompany')]).toEqual([true, false]);
  expect([names('`mfa.getFactor`'), names('`mfa.getKey`'), names('`verifyHook` of `sallyport/webhooks`')]).toEqual([
    true,
    false,
    false,
  ]);
});
