import { unprocessableField } from '../../store/refusal.js';
import { type Facts, type Node, type Scope, Search, type Step } from './engine.js';
import { type Entity, entityName, grantName, type Relationship } from './names.js';

/** A relation to a resource, without a subject. */
export interface Grant {
  readonly resource: Entity;
  readonly relation: string;
}

/**
 * Find which of the grants a subject has. One search evaluates them all and visits each relation once.
 *
 * @returns The first warrant on a shortest path from each resource to the subject, by the name of the grant.
 */
export function grantsOf(
  facts: Facts,
  subject: Entity,
  grants: Iterable<Grant>,
  scope: Scope,
): ReadonlyMap<string, Relationship> {
  const search = new Search(facts, subject, scope);
  const roots = Array.from(grants, ({ resource, relation }) => search.ask(resource, relation));
  search.explore();
  const first = new Map<Node, Relationship>();
  for (const node of search.nodes) if (node.warrant) first.set(node, node.warrant);
  conclude([...first.keys()], ({ by, from, to }) => first.set(from, by ?? first.get(to)!));
  const found = new Map<string, Relationship>();
  for (const root of roots) {
    const warrant = first.get(root);
    // Roots always have a relation.
    if (warrant) found.set(grantName(root.resource, root.relation!), warrant);
  }
  return found;
}

/**
 * Find the subjects of these types that have a grant. One search visits each relation once for all subjects.
 *
 * @returns The last warrant on a path from the resource to each subject, by the name of the subject.
 * @throws {Refusal} 422 if rules with `all_of` need too many steps.
 */
export function subjectsOf(
  facts: Facts,
  { resource, relation }: Grant,
  types: readonly string[],
  scope: Scope,
): ReadonlyMap<string, Relationship> {
  const search = new Search(facts, undefined, scope);
  const root = search.ask(resource, relation);
  search.explore();
  const found = new Map<string, Relationship>();
  const sufficient = nodesThatSuffice(root);
  for (const node of sufficient)
    for (const warrant of warrantsForNode(facts, node, types)) {
      const name = entityName(warrant.subject);
      if (!found.has(name)) found.set(name, warrant);
    }
  for (const [name, warrant] of subjectsByRules(facts, search.nodes, { root, types, sufficient, found }))
    found.set(name, warrant);
  return found;
}

/** Find the nodes that each satisfy the root alone, nearest first. */
function nodesThatSuffice(root: Node): ReadonlySet<Node> {
  const nodes = new Set([root]);
  for (const node of nodes) if (node.needs === 1) for (const { to } of node.out) nodes.add(to);
  return nodes;
}

function* warrantsForNode(
  facts: Facts,
  { isDefined, resource, relation, everyRelation }: Node,
  types: readonly string[],
): Generator<Relationship> {
  const granted = isDefined ? relation : everyRelation;
  if (granted !== undefined) for (const type of types) yield* facts.warrantsOfType(resource, granted, type);
}

interface RuleSearch {
  readonly root: Node;
  readonly types: readonly string[];
  /** The nodes that each satisfy the root alone. */
  readonly sufficient: ReadonlySet<Node>;
  /** The subjects found at the sufficient nodes. */
  readonly found: ReadonlyMap<string, Relationship>;
}

/** Maximum number of steps to find subjects through rules with `all_of`. */
const maxSteps = 20_000_000;

/** Find the subjects that must satisfy several nodes. The result is computed once for all subjects with the same nodes. */
function* subjectsByRules(
  facts: Facts,
  nodes: readonly Node[],
  { root, types, sufficient, found }: RuleSearch,
): Generator<readonly [name: string, warrant: Relationship]> {
  const numbers = new Map<Node, number>();
  const bySubject = new Map<string, Map<Node, Relationship>>();
  for (const node of nodes)
    for (const warrant of sufficient.has(node) ? [] : warrantsForNode(facts, node, types)) {
      const name = entityName(warrant.subject);
      if (found.has(name)) continue;
      const warrants = bySubject.get(name) ?? new Map<Node, Relationship>();
      if (!warrants.has(node)) warrants.set(node, warrant);
      numbers.set(node, numbers.get(node) ?? numbers.size);
      bySubject.set(name, warrants);
    }
  const answers = new Map<string, Node | undefined>();
  let steps = 0;
  const count = (): void => {
    if (++steps > maxSteps)
      throw unprocessableField(
        'q',
        'invalid_query',
        `must take at most ${maxSteps} steps. Ask for fewer types or relations, or nest the resources of rules with all_of less deeply`,
      );
  };
  for (const [name, warrants] of bySubject) {
    const starts = [...warrants.keys()];
    const key = starts.map((node) => numbers.get(node)).join();
    if (!answers.has(key)) answers.set(key, decidingStart(root, starts, count));
    const start = answers.get(key);
    if (start) yield [name, warrants.get(start)!];
  }
}

/** Find the node that satisfies the root if all these nodes are satisfied. Returns undefined if even they do not satisfy it. */
function decidingStart(root: Node, starts: readonly Node[], count: () => void): Node | undefined {
  const origin = new Map(starts.map((node) => [node, node]));
  conclude(starts, ({ from, to }) => origin.set(from, origin.get(to)!), count);
  return origin.get(root);
}

/** Call `note` once for each node that the start nodes satisfy, nearest first. */
function conclude(starts: readonly Node[], note: (step: Step) => void, count?: () => void): void {
  const queue = [...starts];
  const reached = new Set(starts);
  const counts = new Map<Node, number>();
  for (const node of queue)
    for (const step of node.in) {
      count?.();
      const { from } = step;
      if (reached.has(from)) continue;
      const holding = (counts.get(from) ?? 0) + 1;
      counts.set(from, holding);
      if (holding < from.needs) continue;
      reached.add(from);
      note(step);
      queue.push(from);
    }
}
