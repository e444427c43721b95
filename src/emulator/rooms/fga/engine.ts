import type { RelationDefinition } from '../../../service/fga.js';
import { type Entity, grantName, type Relationship, type Subject } from './names.js';

/** The data that the engine reads. Every lookup must be fast. */
export interface WarrantReader {
  /** Find the definition of a relation. Returns undefined if the type or relation does not exist. */
  definition(type: string, relation: string): RelationDefinition | undefined;
  /** Find the warrant that directly grants a subject a relation to a resource or to every resource of its type. */
  warrant(resource: Entity, relation: string, subject: Subject): Relationship | undefined;
  /** Find the wildcard resource of the type, if it has warrants and is not the resource itself. */
  everyOf(resource: Entity): Entity | undefined;
  /**
   * Find the warrants on this resource, without the wildcard, that grant a relation to a group. A group is all subjects with a
   * relation to another resource.
   */
  groupWarrants(resource: Entity, relation: string): Iterable<Relationship>;
  /** Find the warrants on this resource, without the wildcard, that grant a relation directly to resources of a type. */
  warrantsOfType(resource: Entity, relation: string, type: string): Iterable<Relationship>;
}

/** An inference: a relation follows from another by a warrant or by a rule of the schema. */
interface InferenceStep {
  readonly from: Node;
  readonly to: Node;
  readonly by: Relationship | undefined;
}

/** A condition: the subject has a relation to a resource. A node without a relation combines other nodes. */
interface Node {
  readonly resource: Entity;
  readonly relation: string | undefined;
  /** Number of outgoing steps that must lead to a satisfied node. */
  readonly needs: number;
  readonly out: InferenceStep[];
  readonly in: InferenceStep[];
  count: number;
  /** Whether the search evaluated this node before it found the answer. */
  isVisited: boolean;
  /** Whether the subject has the relation. */
  isSatisfied: boolean;
  /** The warrant that names the subject directly. */
  warrant?: Relationship | undefined;
  /** The step that satisfied the node. */
  because?: InferenceStep;
}

/** A relation to a resource that was evaluated for an answer. */
export interface Decision extends Entity {
  readonly relation: string;
  readonly isSatisfied: boolean;
  /** The relations that it could be inherited from. */
  readonly from: readonly Decision[];
}

/** An answer and its explanation. */
interface Verdict {
  readonly isSatisfied: boolean;
  /** Number of relations evaluated. */
  readonly steps: number;
  /** The warrants from the resource to the subject, in order; empty if the subject does not have the relation. */
  readonly path: readonly Relationship[];
  /** List every relation evaluated, to a depth of 50. A repeated relation is listed without its children. */
  decisions(): Decision;
}

/** `explicit` uses only warrants, including those of groups. `everything` also uses the rules of the schema. */
export type Scope = 'explicit' | 'everything';

const maxDepth = 50;

/**
 * Decide whether a subject has a relation to a resource.
 *
 * This is a breadth-first search that visits every relation once. It therefore terminates on cycles, and the path found is a
 * shortest one. It is not recursive, so the depth of warrants is not limited.
 */
export function evaluate(reader: WarrantReader, question: Relationship, scope: Scope): Verdict {
  const search = new Search(reader, question.subject, scope);
  const root = search.ask(question, question.relation);
  search.run(root);
  return {
    isSatisfied: root.isSatisfied,
    steps: search.size,
    path: root.isSatisfied ? pathFrom(root) : [],
    decisions: () => decisionsFrom(root, new Set(), 0),
  };
}

/** The graph of relations that matter for a question. */
class Search {
  readonly #nodes = new Map<string, Node>();
  readonly #queue: Node[] = [];
  /** Nodes of wildcard warrants, shared by all resources of a type. */
  readonly #every = new Map<string, Node>();

  constructor(
    readonly reader: WarrantReader,
    readonly subject: Subject,
    readonly scope: Scope,
  ) {}

  /** Get the number of relations queued so far. */
  get size(): number {
    return this.#queue.length;
  }

  /** Return the node of a relation. The first call queues it. */
  ask(resource: Entity, relation: string): Node {
    const name = grantName(resource, relation);
    let node = this.#nodes.get(name);
    if (!node) {
      node = newNode(resource, relation);
      this.#nodes.set(name, node);
      this.#queue.push(node);
    }
    return node;
  }

  /** Evaluate queued relations until the root is satisfied or none is left. */
  run(root: Node): void {
    for (let at = 0; at < this.#queue.length && !root.isSatisfied; at++) this.#visit(this.#queue[at]!);
  }

  #visit(node: Node): void {
    node.isVisited = true;
    const { resource } = node;
    // Only nodes with a relation are queued.
    const relation = node.relation!;
    const definition = this.reader.definition(resource.resourceType, relation);
    if (!definition) return;
    node.warrant = this.reader.warrant(resource, relation, this.subject);
    if (node.warrant) {
      settle(node);
      return;
    }
    this.#groups(node, resource, relation);
    const every = this.reader.everyOf(resource);
    if (every)
      lead(
        node,
        this.#everyNode(grantName(every, relation), newNode(every, undefined), (shared) =>
          this.#groups(shared, every, relation),
        ),
      );
    if (this.scope === 'everything') this.#follow(node, definition);
  }

  #groups(node: Node, resource: Entity, relation: string): void {
    for (const group of this.reader.groupWarrants(resource, relation))
      lead(node, this.ask(group.subject, group.subject.relation!), group);
  }

  #everyNode(name: string, fresh: Node, fill: (node: Node) => void): Node {
    const known = this.#every.get(name);
    if (known) return known;
    this.#every.set(name, fresh);
    fill(fresh);
    return fresh;
  }

  #follow(node: Node, rule: RelationDefinition): void {
    const { resource } = node;
    const { inherit_if: inheritIf, rules = [], of_type: ofType, with_relation: withRelation } = rule;
    if (inheritIf === undefined) return;
    if (inheritIf === 'any_of') for (const one of rules) this.#follow(node, one);
    else if (inheritIf === 'all_of') {
      const all = newNode(resource, undefined, rules.length);
      for (const one of rules) {
        const part = newNode(resource, undefined);
        lead(all, part);
        this.#follow(part, one);
      }
      lead(node, all);
    } else if (ofType === undefined || withRelation === undefined) lead(node, this.ask(resource, inheritIf));
    else {
      const through = (from: Node, entity: Entity): void => {
        for (const warrant of this.reader.warrantsOfType(entity, withRelation, ofType))
          lead(from, this.ask(warrant.subject, inheritIf), warrant);
      };
      through(node, resource);
      const every = this.reader.everyOf(resource);
      const name = every && [grantName(every, withRelation), ofType, inheritIf].join(' ');
      if (every && name)
        lead(
          node,
          this.#everyNode(name, newNode(every, undefined), (shared) => through(shared, every)),
        );
    }
  }
}

const newNode = ({ resourceType, resourceId }: Entity, relation: string | undefined, needs = 1): Node => ({
  resource: { resourceType, resourceId },
  relation,
  needs,
  out: [],
  in: [],
  count: 0,
  isVisited: false,
  isSatisfied: false,
});

function lead(from: Node, to: Node, by?: Relationship): void {
  const step = { from, to, by };
  from.out.push(step);
  to.in.push(step);
  if (to.isSatisfied && satisfies(step)) settle(from);
}

/** Count a step to a satisfied node. Returns whether this satisfies the node at its start. */
function satisfies(step: InferenceStep): boolean {
  const { from } = step;
  from.count++;
  if (from.isSatisfied || from.count < from.needs) return false;
  from.because = step;
  from.isSatisfied = true;
  return true;
}

/** Mark a node as satisfied, and every node that this satisfies. */
function settle(first: Node): void {
  first.isSatisfied = true;
  const stack = [first];
  for (let node = stack.pop(); node; node = stack.pop())
    for (const step of node.in) if (satisfies(step)) stack.push(step.from);
}

function pathFrom(root: Node): readonly Relationship[] {
  const path: Relationship[] = [];
  let node = root;
  while (!node.warrant) {
    // A satisfied node without a warrant always has a `because`.
    const { by, to } = node.because!;
    if (by) path.push(by);
    node = to;
  }
  return [...path, node.warrant];
}

function decisionsFrom(node: Node, visits: Set<Node>, depth: number): Decision {
  const isFirst = !visits.has(node) && depth < maxDepth;
  visits.add(node);
  return {
    ...node.resource,
    relation: node.relation ?? '',
    isSatisfied: node.isSatisfied,
    from: isFirst ? evaluatedBelow(node).map((next) => decisionsFrom(next, visits, depth + 1)) : [],
  };
}

/** List the evaluated relations that a node directly depends on. Nodes without a relation are skipped. */
const evaluatedBelow = (node: Node): readonly Node[] =>
  node.out.flatMap(({ to }) => (to.relation === undefined ? evaluatedBelow(to) : to.isVisited ? [to] : []));
