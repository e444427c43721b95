import type { RelationDefinition } from '../../../service/fga.js';
import { type Entity, grantName, type Relationship, type Subject } from './names.js';

/** What the engine has to know; every question must be answered without a search. */
export interface Facts {
  /** How a relation is defined; undefined when the type or the relation does not exist. */
  definition(type: string, relation: string): RelationDefinition | undefined;
  /** The warrant that gives a subject itself a relation to a resource, or to every resource of its type. */
  warrant(resource: Entity, relation: string, subject: Subject): Relationship | undefined;
  /** The resource that stands for every resource of its type, if warrants name it and it is another one. */
  everyOf(resource: Entity): Entity | undefined;
  /** The warrants of just this resource that give a relation to all who have some relation to another resource. */
  groupWarrants(resource: Entity, relation: string): Iterable<Relationship>;
  /** The warrants of just this resource that give a relation to resources of a type themselves. */
  warrantsOfType(resource: Entity, relation: string, type: string): Iterable<Relationship>;
}

/** A relation follows from another one: by a warrant, or by a rule of the schema. */
export interface Step {
  readonly from: Node;
  readonly to: Node;
  readonly by: Relationship | undefined;
}

/** Whether the subject has a relation to a resource, or, without one, whether several rules hold together. */
export interface Node {
  readonly resource: Entity;
  readonly relation: string | undefined;
  /** The relation that warrants give to every resource of the type. Only a node without a relation has it. */
  readonly everyRelation?: string;
  /** How many of the steps out of it have to lead to something that holds. */
  readonly needs: number;
  readonly out: Step[];
  readonly in: Step[];
  count: number;
  /** Whether it was its turn; once the answer is there, nothing further is looked at. */
  isVisited: boolean;
  /** Whether the schema has the relation. Warrants of other relations do not count. */
  isDefined: boolean;
  holds: boolean;
  /** The warrant that names the subject here. */
  warrant?: Relationship;
  /** The step that made it hold. */
  because?: Step;
}

/** One relation to one resource as it was looked at on the way to an answer. */
export interface Decision extends Entity {
  readonly relation: string;
  readonly holds: boolean;
  /** What it was inherited from, or might have been. */
  readonly from: readonly Decision[];
}

/** An answer and how it came about. */
export interface Verdict {
  readonly holds: boolean;
  /** How many relations were asked on the way. */
  readonly steps: number;
  /** The warrants from the resource to the subject, in this order; empty when it does not hold. */
  readonly path: readonly Relationship[];
  /** Everything looked at, to a depth of 50; what leads back to itself is named once more and not followed. */
  decisions(): Decision;
}

/** Whether only warrants count, those of groups included, or the rules of the schema too. */
export type Scope = 'explicit' | 'everything';

const deepestView = 50;

/**
 * Whether a subject has a relation to a resource.
 *
 * Relations are looked at in the order of their distance and each of them once, so that circles end and the way that is
 * found is a shortest one; a relation holds as soon as something it follows from does. Nothing is recursive: warrants may
 * lead as deep as they like.
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

/** The relations that matter for a question, and how they follow from each other. */
export class Search {
  readonly #nodes = new Map<string, Node>();
  readonly #queue: Node[] = [];
  /** What warrants say of every resource of a type: one node for all of them, instead of the same steps for each. */
  readonly #every = new Map<string, Node>();

  constructor(
    readonly facts: Facts,
    /** Undefined if all subjects are of interest. */
    readonly subject: Subject | undefined,
    readonly scope: Scope,
  ) {}

  /** How many relations were asked. */
  get size(): number {
    return this.#queue.length;
  }

  /** The nodes with warrants: the relations that were asked, and what warrants say of every resource of a type. */
  get nodes(): readonly Node[] {
    return [...this.#queue, ...this.#every.values()];
  }

  /** Queue a relation to be looked at, once. */
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

  /** Look at relations until the first one holds, or all that matter have been looked at. */
  run(root: Node): void {
    for (let at = 0; at < this.#queue.length && !root.holds; at++) this.#look(this.#queue[at]!);
  }

  /** Look at everything that was asked and all that it follows from, without a conclusion. */
  explore(): void {
    for (const node of this.#queue) this.#expand(node);
  }

  #look(node: Node): void {
    node.isVisited = true;
    this.#expand(node);
    if (node.warrant) settle(node);
  }

  #expand(node: Node): void {
    const { resource } = node;
    // Only nodes with a relation are ever waiting.
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

/** Count a step that leads to something that holds; whether its start holds by that. */
function makesHold(step: Step): boolean {
  const { from } = step;
  from.count++;
  if (from.holds || from.count < from.needs) return false;
  from.because = step;
  from.holds = true;
  return true;
}

/** Make a node hold, and with it whatever was only waiting for that. */
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
    // What holds without a warrant of its own does so because of a step.
    const { by, to } = node.because!;
    if (by) path.push(by);
    node = to;
  }
  return [...path, node.warrant];
}

function decisionsFrom(node: Node, visits: Set<Node>, depth: number): Decision {
  const first = !visits.has(node) && depth < deepestView;
  visits.add(node);
  return {
    ...node.resource,
    relation: node.relation ?? '',
    holds: node.holds,
    from: first ? below(node).map((next) => decisionsFrom(next, visits, depth + 1)) : [],
  };
}

/** The relations next to a node that were looked at, those behind combined rules included. */
const below = (node: Node): readonly Node[] =>
  node.out.flatMap(({ to }) => (to.relation === undefined ? below(to) : to.isVisited ? [to] : []));
