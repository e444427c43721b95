import {
  Alias,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { type Path, type Place, type Problem, SeedProblems } from './problems.js';

/** Content of a seed file with positions. */
export interface SeedText {
  /** Return the value. @throws {SeedProblems} The file cannot be parsed. */
  readonly value: () => unknown;
  /** Create a function that finds the position of a problem. */
  readonly places: () => Promise<(problem: Problem) => Place | undefined>;
}

/** Maximum number of repetitions of an anchor, including those inside its value. More could exhaust memory. */
const maxAliasCount = 10_000;

// The parser's messages for the first four quote the text, which may contain a password.
const messages: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'This backslash does not start a valid YAML escape; double it, or use single quotes',
  BAD_DIRECTIVE: 'A line that starts with % is a YAML directive; quote the text',
  BAD_SCALAR_START: 'Unquoted text cannot start with this character; quote the text',
  TAG_RESOLVE_FAILED: 'YAML tags are not supported in seeds; remove this one',
  MULTIPLE_DOCS: 'A second document starts here; a seed must be a single document',
  TAB_AS_INDENT: 'Lines are indented with a tab; YAML requires spaces',
};

/** Parse YAML. */
export function readYaml(text: string): SeedText {
  const lines = new LineCounter();
  // Pretty errors would quote the line, which may contain a password. The parser's check for unique keys is quadratic;
  // `unsupportedSyntax` does it faster.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return {
    value() {
      const problems = [...syntaxProblems(document.errors, place), ...unsupportedSyntax(document, place)];
      if (problems.length > 0) throw new SeedProblems(problems);
      try {
        return document.toJS({ maxAliasCount });
      } catch (error) {
        // Too many repetitions of an anchor, or a merge of something that is not a map.
        throw new SeedProblems([{ path: [], message: messageOf(error) }], { cause: error });
      }
    },
    places: async () => (problem) => {
      const offset = problem.place ? undefined : offsetOf(document, problem);
      return offset === undefined ? problem.place : place(offset);
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Report only the first syntax error: most others follow from it. */
function* syntaxProblems(errors: readonly YAMLError[], place: (offset: number) => Place): Generator<Problem> {
  const [first] = errors;
  if (!first) return;
  const { code, message, pos } = first;
  // Cut the message at the colon, which is followed by text of the file.
  const sentence = messages[code] ?? `This is not valid YAML: ${message.split(':', 1)[0]}`;
  yield { path: [], message: sentence, place: place(pos[0]) };
}

/** Find syntax that YAML allows but seeds do not. Also links each alias to its anchor. */
function unsupportedSyntax(document: Document.Parsed, place: (offset: number) => Place): Problem[] {
  const problems: Problem[] = [];
  const refuse = (node: Node, message: string): void => {
    problems.push({ path: [], message, place: place(node.range?.[0] ?? 0) });
  };
  const anchors = new Map<string, AnchorNode>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) link(node, target);
        else
          refuse(
            node,
            'Text that starts with * refers to an anchor, but there is no such anchor before it; quote the text',
          );
        return;
      }
      if (isMap(node)) for (const key of repeatedKeys(node)) refuse(key, 'This name is repeated; keep only one');
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if ('tag' in node && node.tag !== undefined)
        refuse(node, 'YAML tags are not supported in seeds; remove this one');
    },
    Pair(_, { key }) {
      // The parser makes every key a node.
      if (!isScalar(key)) refuse(key as Node, 'The name of a field must be a string');
    },
  });
  return problems;
}

function* repeatedKeys({ items }: YAMLMap): Generator<Node> {
  const names = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (names.has(key.value)) yield key;
    names.add(key.value);
  }
}

type AnchorNode = Exclude<Node, Alias>;

/** Link an alias to its anchor, because the library would search the whole document for it. */
function link(alias: Alias, target: AnchorNode): void {
  alias.resolve = (document, context) => {
    if (!context) return target;
    // The library finds the anchor in its cache, and counts the repetition.
    context.aliasResolveCache = [target];
    return Alias.prototype.resolve.call(alias, document, context);
  };
}

type FieldNodes = { readonly key: Node; readonly value: Node | null };

/** Find the character offset of the node at a problem's path, or of its nearest parent. */
function offsetOf(document: Document.Parsed, { path, isName }: Problem): number | undefined {
  const resolved = (node: Node | null | undefined): Node | null | undefined =>
    isAlias(node) ? node.resolve(document) : node;

  const fieldOf = (map: YAMLMap, name: string): FieldNodes | undefined => {
    // The parser makes every key and value a node.
    const pairs = map.items as unknown as readonly Pair<Node, Node | null>[];
    const pair = pairs.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair) return { key: pair.key, value: pair.value };
    for (const { key, value } of pairs) {
      if (!isScalar(key) || key.value !== '<<') continue;
      const sources = resolved(value);
      for (const source of isSeq<Node>(sources) ? sources.items : [sources]) {
        const target = resolved(source);
        const field = isMap(target) ? fieldOf(target, name) : undefined;
        if (field) return field;
      }
    }
    return undefined;
  };

  const follow = (node: Node | null | undefined, steps: Path): Node | null | undefined => {
    const [step, ...rest] = steps;
    const target = resolved(node);
    if (step === undefined) return node;
    if (isSeq<Node>(target) && typeof step === 'number')
      return target.items[step] ? follow(target.items[step], rest) : node;
    const field = isMap(target) ? fieldOf(target, String(step)) : undefined;
    if (!field) return node;
    return rest.length === 0 && isName ? field.key : follow(field.value ?? field.key, rest);
  };

  return follow(document.contents, path)?.range?.[0];
}

/** Write a JSON value as YAML, with a comment at the top. */
export function writeYaml(value: unknown, comment: string): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Pair(_, { key }) {
      // An unquoted << would merge another map.
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE';
    },
  });
  document.commentBefore = comment.replace(/^/gm, ' ');
  return document.toString({ lineWidth: 0 });
}
