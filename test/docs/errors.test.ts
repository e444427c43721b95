import { readFileSync } from 'node:fs';
import * as sallyport from 'sallyport';
import * as emulator from 'sallyport/emulator';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

// docs/errors.md names every class and every code, and none that does not exist.

const page = readFileSync('docs/errors.md', 'utf8');

/** The names in the cells of a section's table, under a heading of a column. */
function named(section: string, column: string): string[] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  const [head = [], , ...body] = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  return body.flatMap((cells) =>
    [...(cells[head.indexOf(column)] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
}

/** The texts of a union type that a file declares, or of the type argument of a class's base. */
function textsOf(file: string, name: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) texts.push(node.literal.text);
    ts.forEachChild(node, collect);
  };
  for (const statement of source.statements) {
    if (ts.isTypeAliasDeclaration(statement) && statement.name.text === name) collect(statement.type);
    if (ts.isClassDeclaration(statement) && statement.name?.text === name) statement.heritageClauses?.forEach(collect);
  }
  return texts;
}

const classesIn = (entry: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(entry)
    .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
    .map(([name]) => name);

describe('the page of errors', () => {
  test('names every class of error that can be imported', () => {
    const base = ['SallyportError'];
    const classes = new Set([...classesIn(sallyport), ...classesIn(emulator)]);

    expect(classes.size).toBeGreaterThan(20);
    expect([...classes].filter((name) => !base.includes(name) && !page.includes(`\`${name}\``))).toEqual([]);
  });

  test.each([
    ['Starting', 'code', 'src/errors/sallyport-error.ts', 'ConfigurationCode'],
    ['Webhooks', 'reason', 'src/webhooks/verification-error.ts', 'WebhookRefusal'],
    ['Streams', 'code', 'src/streams/stream-error.ts', 'StreamErrorCode'],
    ['The browser', 'code', 'src/browser/browser-error.ts', 'BrowserErrorCode'],
    ['The emulator', 'code', 'src/emulator/world/refusal.ts', 'EmulatorError'],
  ])('lists under "%s" each %s that there is, and no other', (section, column, file, type) => {
    const texts = textsOf(file, type);

    expect(texts.length).toBeGreaterThan(3);
    expect(named(section, `\`${column}\``).sort()).toEqual(texts.sort());
  });

  test('lists each code that stands for a status', () => {
    const codes = new Set(named('Any call', '`code`'));

    expect(textsOf('src/transport/errors.ts', 'ApiErrorCode').filter((code) => !codes.has(code))).toEqual([]);
  });

  test.each([
    ['Any call', 'Class'],
    ['Lists', 'Class'],
    ['Signing in', 'Class'],
  ])('names under "%s" only classes that exist', (section, column) => {
    const classes = classesIn(sallyport);
    const names = named(section, column);

    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !classes.includes(name))).toEqual([]);
  });
});
