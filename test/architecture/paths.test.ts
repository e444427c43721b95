import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { router } from '../../src/emulator/registry.js';

const emulator = join(import.meta.dirname, '../../src/emulator');

/** The strings of a source that look like a path, including templates up to their first value. */
function pathsIn(text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(node.text.split('?')[0] ?? '');
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.ES2022, true));
  return found.filter((path) => /^\/\w/.test(path));
}

/** The room of a file: `rooms/users`, `hosted`. */
const roomOf = (file: string): string => /^rooms\/[^/]+|^[^/]+/.exec(file)?.[0] ?? '';

/** Whether a text is a whole path or the start of one, up to the end of a segment. */
const begins = (text: string, path: string): boolean =>
  path === text || (path.startsWith(text) && (text.endsWith('/') || path[text.length] === '/'));

/** The rooms that contain each path, for paths in several rooms. */
function sharedPaths(
  paths: readonly string[],
  files: readonly { readonly file: string; readonly text: string }[],
): Readonly<Record<string, readonly string[]>> {
  const written = files.flatMap(({ file, text }) => pathsIn(text).map((path) => ({ path, room: roomOf(file) })));
  const roomsBy = paths.map((path) => {
    const writers = written.filter((one) => begins(one.path, path)).map(({ room }) => room);
    return [path, [...new Set(writers)].sort()] as const;
  });
  return Object.fromEntries(roomsBy.filter(([, writers]) => writers.length > 1));
}

test('each page path occurs in only one folder of the emulator', () => {
  // The inbox is both a page for browsers and a control for programs.
  const controls = router.controls.map(({ operation }) => operation.path);
  const pages = router.pages.map(({ path }) => path).filter((path) => !controls.includes(path));
  const files = readdirSync(emulator, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(emulator, file), 'utf8') }));

  expect(pages.length).toBeGreaterThan(20);
  expect(sharedPaths([...new Set(pages)], files)).toEqual({});
});

test('a page path in several folders is reported even if one adds a query string or contains only a prefix', () => {
  const files = [
    { file: 'hosted/routes.ts', text: "router.page('GET', '/hosted/sign-in', show)" },
    { file: 'rooms/users/mail.ts', text: 'const link = `/hosted/sign-in?email=$' + '{email}`;' },
    { file: 'chain/limits.ts', text: "const isHosted = path.startsWith('/hosted/');" },
    { file: 'console/text.ts', text: "const text = '/host'; // '/hosted/sign-in'" },
  ];

  expect(sharedPaths(['/hosted/sign-in'], files)).toEqual({ '/hosted/sign-in': ['chain', 'hosted', 'rooms/users'] });
});
