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

/** What a seed's file says, and where. */
export interface SeedText {
  /** What it says. @throws {SeedProblems} When it cannot be read. */
  readonly value: () => unknown;
  /** Find the places of problems. */
  readonly places: () => Promise<(problem: Problem) => Place | undefined>;
}

/** How often an anchor may be repeated, with the repetitions in its value. More than that could fill the memory. */
const maxAliasCount = 10_000;

// The parser's own messages for the first four quote the text, which may hold a password.
const messages: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'This backslash starts no escape that YAML knows; double it, or use single quotes',
  BAD_DIRECTIVE: 'A line that starts with % is a directive of YAML; quote the text',
  BAD_SCALAR_START: 'A text cannot start with this character; quote the text',
  TAG_RESOLVE_FAILED: 'YAML tags are not for seeds; leave this one out',
  MULTIPLE_DOCS: 'A second document starts here; a seed is one document',
  TAB_AS_INDENT: 'Lines are indented with a tab; YAML wants spaces',
};

/** Read a text of YAML. */
export function readYaml(text: string): SeedText {
  const lines = new LineCounter();
  // Pretty errors would quote the line, in which a password may stand.
  // The parser compares each name with all others of its map; `oddities` finds repeated names faster.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return {
    value() {
      const problems = [...syntaxProblems(document.errors, place), ...oddities(document, place)];
      if (problems.length > 0) throw new SeedProblems(problems);
      try {
        return document.toJS({ maxAliasCount });
      } catch (error) {
        // Anchors repeated beyond the bound, or merged where there is nothing to merge.
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

/** The first mistake in the text as YAML: most others follow from it. */
function* syntaxProblems(errors: readonly YAMLError[], place: (offset: number) => Place): Generator<Problem> {
  const [first] = errors;
  if (!first) return;
  const { code, message, pos } = first;
  // The text at fault follows a colon.
  const sentence = messages[code] ?? `This is not valid YAML: ${message.split(':', 1)[0]}`;
  yield { path: [], message: sentence, place: place(pos[0]) };
}

/** Find what YAML allows and a seed must not have. Each alias is linked to its anchor on the way. */
function oddities(document: Document.Parsed, place: (offset: number) => Place): Problem[] {
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
            'A text that starts with * repeats an anchor, and no such anchor stands before it; quote the text',
          );
        return;
      }
      if (isMap(node))
        for (const key of repeatedKeys(node)) refuse(key, 'This name stands here twice; keep one of the two');
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if ('tag' in node && node.tag !== undefined) refuse(node, 'YAML tags are not for seeds; leave this one out');
    },
    Pair(_, { key }) {
      // The parser gives every pair a node as its key.
      if (!isScalar(key)) refuse(key as Node, 'The name of a field must be a text');
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

/** Link an alias to its anchor: the library searches the whole document for the anchor of each alias. */
function link(alias: Alias, target: AnchorNode): void {
  alias.resolve = (document, context) => {
    if (!context) return target;
    // The library takes the anchor from the nodes in its cache, and counts the repetition.
    context.aliasResolveCache = [target];
    return Alias.prototype.resolve.call(alias, document, context);
  };
}

type FieldNodes = { readonly key: Node; readonly value: Node | null };

/** Where a problem is, in characters from the start: what its path leads to, or what is nearest around. */
function offsetOf(document: Document.Parsed, { path, isName }: Problem): number | undefined {
  const behind = (node: Node | null | undefined): Node | null | undefined =>
    isAlias(node) ? node.resolve(document) : node;

  const fieldOf = (map: YAMLMap, name: string): FieldNodes | undefined => {
    // The parser gives every pair nodes.
    const pairs = map.items as unknown as readonly Pair<Node, Node | null>[];
    const own = pairs.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (own) return { key: own.key, value: own.value };
    for (const { key, value } of pairs) {
      if (!isScalar(key) || key.value !== '<<') continue;
      const sources = behind(value);
      for (const source of isSeq<Node>(sources) ? sources.items : [sources]) {
        const target = behind(source);
        const field = isMap(target) ? fieldOf(target, name) : undefined;
        if (field) return field;
      }
    }
    return undefined;
  };

  const follow = (node: Node | null | undefined, steps: Path): Node | null | undefined => {
    const [step, ...rest] = steps;
    const target = behind(node);
    if (step === undefined) return node;
    if (isSeq<Node>(target) && typeof step === 'number')
      return target.items[step] ? follow(target.items[step], rest) : node;
    const field = isMap(target) ? fieldOf(target, String(step)) : undefined;
    if (!field) return node;
    return rest.length === 0 && isName ? field.key : follow(field.value ?? field.key, rest);
  };

  return follow(document.contents, path)?.range?.[0];
}

/** Write what JSON can say as YAML, with a comment before it. */
export function writeYaml(value: unknown, comment: string): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Pair(_, { key }) {
      // Without quotes, a key << merges another map.
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE';
    },
  });
  document.commentBefore = comment.replace(/^/gm, ' ');
  return document.toString({ lineWidth: 0 });
}
