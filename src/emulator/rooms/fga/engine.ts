import type { RelationDefinition } from '../../../service/fga.js';
import { type Entity, grantName, type Relationship, type Subject } from './names.js';

/** The data that the engine reads. Every lookup must be fast. */
export interface Facts {
  /** The definition of a relation, or undefined if the type or relation does not exist. */
  definition(type: string, relation: string): RelationDefinition | undefined;
  /** The warrant that directly gives a subject a relation to a resource or to every resource of its type. */
  warrant(resource: Entity, relation: string, subject: Subject): Relationship | undefined;
  /** The wildcard resource of the type, if it has warrants and is not the resource itself. */
  everyOf(resource: Entity): Entity | undefined;
  /** The warrants on this resource, without the wildcard, that give a relation to a group: all with some relation to a resource. */
  groupWarrants(resource: Entity, relation: string): Iterable<Relationship>;
  /** The warrants on this resource, without the wildcard, that give a relation directly to resources of a type. */
  warrantsOfType(resource: Entity, relation: string, type: string): Iterable<Relationship>;
}

/** An inference: a relation follows from another by a warrant or by a rule of the schema. */
export interface Step {
  readonly from: Node;
  readonly to: Node;
  readonly by: Relationship | undefined;
}

/** A condition: the subject has a relation to a resource. Without a relation, it combines other nodes. */
export interface Node {
  readonly resource: Entity;
  readonly relation: string | undefined;
  /** The relation that wildcard warrants give. Only a node without a relation has it. */
  readonly everyRelation?: string;
  /** How many of the outgoing steps must lead to a node that holds. */
  readonly needs: number;
  readonly out: Step[];
  readonly in: Step[];
  count: number;
  /** Whether the search evaluated this node before it found the answer. */
  isVisited: boolean;
  /** Whether the schema defines the relation. Warrants with undefined relations do not count. */
  isDefined: boolean;
  holds: boolean;
  /** The warrant that names the subject directly. */
  warrant?: Relationship;
  /** The step that made the node hold. */
  because?: Step;
}

/** A relation to a resource that was evaluated for an answer. */
export interface Decision extends Entity {
  readonly relation: string;
  readonly holds: boolean;
  /** The relations that it could be inherited from. */
  readonly from: readonly Decision[];
}

/** An answer and its explanation. */
export interface Verdict {
  readonly holds: boolean;
  /** Number of relations evaluated. */
  readonly steps: number;
  /** The warrants from the resource to the subject, in order; empty if the relation does not hold. */
  readonly path: readonly Relationship[];
  /** Every relation evaluated, to a depth of 50. A relation that repeats is listed without its children. */
  decisions(): Decision;
}

/** `explicit`: only warrants count, including those of groups. `everything`: the rules of the schema count too. */
export type Scope = 'explicit' | 'everything';

const maxDepth = 50;

/**
 * Decide whether a subject has a relation to a resource.
 *
 * This is a breadth-first search that visits every relation once, so that cycles end and the path found is a shortest one. It is
 * not recursive, so the depth of warrants is not limited.
 */
export function evaluate(facts: Facts, question: Relationship, scope: Scope): Verdict {
  const search = new Search(facts, question.subject, scope);
  const root = search.ask(question, question.relation);
  search.run(root);
  return {
    holds: root.holds,
    steps: search.size,
    path: root.holds ? pathFrom(root) : [],
    decisions: () => decisionsFrom(root, new Set(), 0),
  };
}

/** The graph of relations that matter for a question. */
export class Search {
  readonly #nodes = new Map<string, Node>();
  readonly #queue: Node[] = [];
  /** Nodes of wildcard warrants, shared by all resources of a type. */
  readonly #every = new Map<string, Node>();

  constructor(
    readonly facts: Facts,
    /** The subject, or undefined to explore for all subjects. */
    readonly subject: Subject | undefined,
    readonly scope: Scope,
  ) {}

  /** Number of relations queued so far. */
  get size(): number {
    return this.#queue.length;
  }

  /** All nodes that can have warrants: the queued relations and the wildcards. */
  get nodes(): readonly Node[] {
    return [...this.#queue, ...this.#every.values()];
  }

  /** Queue a relation, once. */
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

  /** Evaluate queued relations until the root holds or none is left. */
  run(root: Node): void {
    for (let at = 0; at < this.#queue.length && !root.holds; at++) this.#visit(this.#queue[at]!);
  }

  /** Expand every queued relation, without drawing conclusions. */
  explore(): void {
    for (const node of this.#queue) this.#expand(node);
  }

  #visit(node: Node): void {
    node.isVisited = true;
    this.#expand(node);
    if (node.warrant) settle(node);
  }

  #expand(node: Node): void {
    const { resource } = node;
    // Only nodes with a relation are queued.
    const relation = node.relation!;
    const definition = this.facts.definition(resource.resourceType, relation);
    if (!definition) return;
    node.isDefined = true;
    const warrant = this.subject && this.facts.warrant(resource, relation, this.subject);
    if (warrant) {
      node.warrant = warrant;
      return;
    }
    this.#groups(node, resource, relation);
    const every = this.facts.everyOf(resource);
    if (every)
      lead(
        node,
        this.#everyNode(
          grantName(every, relation),
          { ...newNode(every, undefined), everyRelation: relation },
          (shared) => this.#groups(shared, every, relation),
        ),
      );
    if (this.scope === 'everything') this.#follow(node, definition);
  }

  #groups(node: Node, resource: Entity, relation: string): void {
    for (const group of this.facts.groupWarrants(resource, relation))
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
        for (const warrant of this.facts.warrantsOfType(entity, withRelation, ofType))
          lead(from, this.ask(warrant.subject, inheritIf), warrant);
      };
      through(node, resource);
      const every = this.facts.everyOf(resource);
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
  isDefined: false,
  holds: false,
});

function lead(from: Node, to: Node, by?: Relationship): void {
  const step = { from, to, by };
  from.out.push(step);
  to.in.push(step);
  if (to.holds && makesHold(step)) settle(from);
}

/** Count a step whose target holds. Returns whether its start now holds as well. */
function makesHold(step: Step): boolean {
  const { from } = step;
  from.count++;
  if (from.holds || from.count < from.needs) return false;
  from.because = step;
  from.holds = true;
  return true;
}

/** Mark a node as holding, and every node that holds because of it. */
function settle(first: Node): void {
  first.holds = true;
  const stack = [first];
  for (let node = stack.pop(); node; node = stack.pop())
    for (const step of node.in) if (makesHold(step)) stack.push(step.from);
}

function pathFrom(root: Node): readonly Relationship[] {
  const path: Relationship[] = [];
  let node = root;
  while (!node.warrant) {
    // A node that holds without a warrant has a cause.
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
    holds: node.holds,
    from: isFirst ? evaluatedBelow(node).map((next) => decisionsFrom(next, visits, depth + 1)) : [],
  };
}

/** The evaluated relations next to a node. Nodes without a relation are skipped. */
const evaluatedBelow = (node: Node): readonly Node[] =>
  node.out.flatMap(({ to }) => (to.relation === undefined ? evaluatedBelow(to) : to.isVisited ? [to] : []));
