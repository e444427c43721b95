import { check } from 'recheck';
import ts from 'typescript';
import type { SourceFile } from './imports.js';

/** A regular expression of a source file. */
export interface Expression {
  /** Its file, and its source text. */
  readonly place: string;
  /** The pattern, or undefined if it is built at run time. */
  readonly source: string | undefined;
  readonly flags: string;
}

const isRegExp = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';

const constant = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined;

/** Every regular expression of a file, in literals and in calls of `RegExp`. */
export function expressionsOf({ path, text }: SourceFile): Expression[] {
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source, flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
      found.push({ place: `${path}: ${node.text}`, source, flags });
    } else if (isRegExp(node)) {
      const [source, flags] = node.arguments ?? [];
      found.push({ place: `${path}: ${node.getText()}`, source: constant(source), flags: constant(flags) ?? '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
  return found;
}

/**
 * Judge how the time of a search grows with the length of the text: undefined if it is at most linear, or else the order and a text
 * that shows it. The limits count steps and not time, so that a loaded machine gives the same answer.
 */
export async function slownessOf(source: string, flags: string): Promise<string | undefined> {
  const limits = { maxIteration: 3, maxNFASize: 5_000, attackTimeout: null, incubationTimeout: null, timeout: 120_000 };
  const diagnostics = await check(source, flags, limits);
  if (diagnostics.status === 'safe') return undefined;
  if (diagnostics.status === 'vulnerable') return `${diagnostics.complexity.summary}: ${diagnostics.attack.pattern}`;
  return `not judged: ${diagnostics.error.kind}`;
}
