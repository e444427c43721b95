import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/**
 * Classes that have no fixed code: the base classes, `SignInStepError`, whose codes test/transport/error-union.test.ts lists, and the
 * refusals of the emulator, which use the codes of the service.
 */
const open = ['SallyportError', 'ApiError', 'SignInStepError', 'EmulatorRefusal'];

const parsed = (text: string): ts.SourceFile => ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2022);

function* nodesIn(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesIn(child);
}

const nameOf = (node: ts.Node | undefined): string => (node && ts.isIdentifier(node) ? node.text : '');

/** The name of the base class of a class. */
const baseOf = (node: ts.ClassDeclaration): string => {
  const extended = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  return nameOf(extended?.types[0]?.expression);
};

/** Every class derived from SallyportError, and every code that a base is created with: `SallyportError<'no_session'>`. */
function errorsIn(texts: readonly string[]): string[] {
  const nodes = texts.flatMap((text) => [...nodesIn(parsed(text))]);
  const classes = new Set(['SallyportError']);
  for (let known = 0; known < classes.size; ) {
    known = classes.size;
    for (const node of nodes)
      if (ts.isClassDeclaration(node) && classes.has(baseOf(node))) classes.add(nameOf(node.name));
  }
  const created = nodes.filter(ts.isNewExpression).flatMap(({ expression, arguments: given }) => {
    const name = nameOf(expression);
    if (name !== 'SallyportError' && name !== 'ApiError') return [];
    const [code] = given ?? [];
    return [`${name}<${code && ts.isStringLiteral(code) ? `'${code.text}'` : 'string'}>`];
  });
  return [...new Set([...classes, ...created])].filter((name) => !open.includes(name)).sort();
}

/** The errors that the compiler finds in `AnySallyportError`. */
const named = (): string[] => {
  const text = readFileSync(join(import.meta.dirname, 'errors.test-d-like.ts'), 'utf8');
  return [...text.matchAll(/(?<!@ts-expect-error.*\n)^isNamed<(.+)>\(\);$/gm)].map(([, name]) => name!).sort();
};

const sources = (): string[] =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    // Most files have no errors, and parsing them takes seconds.
    .filter((text) => /\bclass .+ extends |\bnew (?:Sallyport|Api)Error\b/.test(text));

test('AnySallyportError includes every error that the package throws', () => {
  expect(named()).toEqual(errorsIn(sources()));
});

test('the AnySallyportError check finds every derived class and every code passed to a base class', () => {
  const found = errorsIn([
    "class LockedError extends HeldError {} throw new SallyportError('too_late', { what: 'Too late' });",
    "class HeldError extends SallyportError<'held'> {} class Stranger extends Error {}",
    'throw new ApiError(codeOf(status), explanation, exchange);',
    "throw new SallyportError('too_late', { what: 'Too late again' });",
  ]);

  expect(found).toEqual(['ApiError<string>', 'HeldError', 'LockedError', "SallyportError<'too_late'>"]);
});
