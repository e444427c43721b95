import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A condition that is inverted, or a `throw` that is left out. */
export interface Mutant {
  readonly file: string;
  /** The function around it, so that the mutant is found again after the file moved. */
  readonly within: string;
  readonly kind: 'condition' | 'throw';
  /** Its source text on one line. */
  readonly text: string;
}

/** Where a mutant is in the text of its file. */
export interface Place extends Mutant {
  readonly start: number;
  readonly end: number;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

function nameOf(node: ts.Node): string | undefined {
  if (!ts.isFunctionLike(node)) return undefined;
  if (node.name) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : undefined;
}

/** List the conditions and `throw` statements of a file, in the order of the text. */
export function placesIn(file: string, text: string): Place[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places: Place[] = [];
  const visit = (node: ts.Node, within: string): void => {
    const here = nameOf(node) ?? within;
    const add = (kind: Mutant['kind'], { end }: ts.Node, start: number) =>
      places.push({ file, within: here, kind, text: oneLine(text.slice(start, end)), start, end });
    if (ts.isIfStatement(node)) add('condition', node.expression, node.expression.getStart());
    if (ts.isConditionalExpression(node)) add('condition', node.condition, node.condition.getStart());
    if (ts.isThrowStatement(node)) add('throw', node, node.getStart());
    ts.forEachChild(node, (child) => visit(child, here));
  };
  visit(source, '');
  return places;
}

/** List the mutants of a folder in a fixed order. */
function candidates(folder: string): Mutant[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .flatMap((name) => placesIn(join(folder, name), readFileSync(join(folder, name), 'utf8')))
    .map(({ file, within, kind, text }) => ({ file, within, kind, text }));
}

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draw mutants from folders. Of those with the same file, function and text, only the first can be drawn. */
export function draw(folders: readonly string[], count: number, seed: number): Mutant[] {
  const pool = [...new Map(folders.flatMap(candidates).map((mutant) => [JSON.stringify(mutant), mutant])).values()];
  const random = randomOf(seed);
  return Array.from({ length: count }, () => pool.splice(Math.floor(random() * pool.length), 1)).flat();
}

/** Find a mutant again: in its file, or anywhere in `src` if a single place has its function, kind and text. */
export function find(mutant: Mutant, texts: ReadonlyMap<string, string>): Place | undefined {
  const isSame = (place: Place) =>
    place.within === mutant.within && place.kind === mutant.kind && place.text === mutant.text;
  const own = texts.get(mutant.file);
  const [inFile] = own === undefined ? [] : placesIn(mutant.file, own).filter(isSame);
  if (inFile) return inFile;
  const others = [...texts].flatMap(([file, text]) => placesIn(file, text).filter(isSame));
  return others.length === 1 ? others[0] : undefined;
}
