import type { WarrantQueryResult } from '../../../service/fga.js';
import { type RequestProblem, unprocessable, unprocessableField } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import type { Facts, Scope } from './engine.js';
import { entityName, grantName, type Relationship } from './names.js';
import { type Names, parseWarrantQuery, type WarrantQuestion } from './query.js';
import { grantsOf, subjectsOf } from './reach.js';
import { definitionOf, relationsOf, resourceTypes, unknownNameProblems } from './resource-types.js';
import { type ResourceRecord, resources } from './resources.js';
import { factsOf } from './warrants.js';

/** A search result. Results are sorted and paged by id. */
interface AccessResult extends View<WarrantQueryResult> {
  readonly id: string;
}

/** Run a query in the query language. Results are sorted by name. @throws {Refusal} 422. */
export function searchAccess(memory: Memory, query: string): readonly AccessResult[] {
  const question = parseWarrantQuery(query);
  const find = question.select === 'resources' ? findResources : findSubjects;
  const results = find(memory, question, factsOf(memory));
  return [...results].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** List the resources of these types that the subject can access through any of the relations. */
function* findResources(
  memory: Memory,
  { types, relations, entity, explicit }: WarrantQuestion,
  facts: Facts,
): Generator<AccessResult> {
  const typeNames = typesIn(memory, types);
  refuseInQuery([...namesIn(memory, entity.resourceType)]);
  if (relations !== '*')
    for (const relation of relations)
      if (!typeNames.some((type) => definitionOf(memory, type, relation)))
        throw unknownInQuery(`a relation of ${typeNames.join(' or ')}`, relation);
  const grants = typeNames.flatMap((type) =>
    relationsIn(memory, type, relations).flatMap((relation) =>
      resourcesOf(memory, type).map((resource) => ({ resource, relation })),
    ),
  );
  const matches = matchesInBothScopes(explicit, (scope) => grantsOf(facts, entity, grants, scope));
  for (const { resource, relation } of grants)
    yield* resultsFor(matches, { name: grantName(resource, relation), resource, relation });
}

/** List the subjects of these types that can access the resource through any of the relations. */
function* findSubjects(
  memory: Memory,
  { types, relations, entity, explicit }: WarrantQuestion,
  facts: Facts,
): Generator<AccessResult> {
  const typeNames = typesIn(memory, types);
  refuseInQuery([...namesIn(memory, entity.resourceType, relations)]);
  for (const relation of relationsIn(memory, entity.resourceType, relations)) {
    const matches = matchesInBothScopes(explicit, (scope) =>
      subjectsOf(facts, { resource: entity, relation }, typeNames, scope),
    );
    for (const type of typeNames)
      for (const resource of resourcesOf(memory, type))
        yield* resultsFor(matches, { name: entityName(resource), resource, relation });
  }
}

const resourcesOf = (memory: Memory, type: string) => memory.of(resources).where('resourceType', type).values();

/** The warrants that give access, by the names of resources or subjects. */
type Matches = ReadonlyMap<string, Relationship>;

/** Search twice: with warrants only, and with the rules of the schema. */
const matchesInBothScopes = (
  explicit: boolean,
  find: (scope: Scope) => Matches,
): { readonly direct: Matches; readonly all: Matches } => {
  const direct = find('explicit');
  return { direct, all: explicit ? direct : find('everything') };
};

function* resultsFor(
  { direct, all }: { readonly direct: Matches; readonly all: Matches },
  {
    name,
    resource: { resourceType, resourceId, meta },
    relation,
  }: { readonly name: string; readonly resource: ResourceRecord; readonly relation: string },
): Generator<AccessResult> {
  const warrant = direct.get(name) ?? all.get(name);
  if (!warrant) return;
  yield {
    id: grantName({ resourceType, resourceId }, relation),
    resourceType,
    resourceId,
    relation,
    warrant,
    isImplicit: !direct.has(name),
    ...(meta && { meta }),
  };
}

function typesIn(memory: Memory, types: Names): readonly string[] {
  if (types === '*')
    return memory
      .of(resourceTypes)
      .values()
      .map(({ id }) => id);
  refuseInQuery(types.flatMap((type) => [...namesIn(memory, type)]));
  return types;
}

const relationsIn = (memory: Memory, type: string, relations: Names): readonly string[] => {
  const all = Object.keys(relationsOf(memory, type) ?? {});
  return relations === '*' ? all : all.filter((relation) => relations.includes(relation));
};

function* namesIn(memory: Memory, type: string, relations: Names = []): Generator<RequestProblem> {
  for (const relation of relations === '*' || relations.length === 0 ? [undefined] : relations)
    yield* unknownNameProblems(memory, { type, relation }, { type: 'q', relation: 'q' });
}

const unknownInQuery = (what: string, name: string) =>
  unprocessableField('q', 'invalid_query', `must use ${what} instead of ${JSON.stringify(name)}`);

function refuseInQuery(errors: readonly RequestProblem[]): void {
  if (errors.length > 0) throw unprocessable(errors, 'invalid_query');
}
