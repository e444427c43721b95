import type { WarrantQueryResult } from '../../../service/fga.js';
import { type RequestProblem, unprocessable, unprocessableField } from '../../world/refusal.js';
import type { View } from '../../world/view.js';
import type { World } from '../../world/world.js';
import { answerTo } from './access.js';
import type { Facts } from './engine.js';
import { type Entity, grantName, type Relationship } from './names.js';
import { type Names, parseWarrantQuery, type WarrantQuestion } from './query.js';
import { definitionOf, objectionsToNames, relationsOf, resourceTypes } from './resource-types.js';
import { resources } from './resources.js';
import type { Moment } from './warrant-tokens.js';
import { factsOf } from './warrants.js';

/** One result, under a name by which results are sorted and paged. */
export interface AccessResult extends View<WarrantQueryResult> {
  readonly id: string;
}

/** Find everything a question in the query language asks for, sorted by name. @throws {Refusal} 422. */
export function searchAccess(world: World, query: string, moment: Moment): readonly AccessResult[] {
  const question = parseWarrantQuery(query);
  const find = question.select === 'resources' ? findResources : findSubjects;
  const results = find(world, question, factsOf(world, moment));
  return [...results].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Find the resources of the types to which the subject has one of the relations. */
function* findResources(
  world: World,
  { types, relations, entity, explicit }: WarrantQuestion,
  facts: Facts,
): Generator<AccessResult> {
  const typeNames = typesIn(world, types);
  refuseInQuery([...namesIn(world, entity.resourceType)]);
  if (relations !== '*')
    for (const relation of relations)
      if (!typeNames.some((type) => definitionOf(world, type, relation)))
        throw unknownInQuery(`a relation of ${typeNames.join(' or ')}`, relation);
  for (const type of typeNames)
    for (const relation of relationsIn(world, type, relations))
      for (const { resourceType, resourceId, meta } of world.of(resources).where('resourceType', type).values()) {
        const access = { resourceType, resourceId, relation, subject: entity };
        // The first warrant on the way stands at the resource that was found.
        yield* resultsFor(facts, access, explicit, access, meta, (path) => path[0]!);
      }
}

/** Find the resources of the types that have one of the relations to the resource. */
function* findSubjects(
  world: World,
  { types, relations, entity, explicit }: WarrantQuestion,
  facts: Facts,
): Generator<AccessResult> {
  const typeNames = typesIn(world, types);
  refuseInQuery([...namesIn(world, entity.resourceType, relations)]);
  for (const relation of relationsIn(world, entity.resourceType, relations))
    for (const type of typeNames)
      for (const { resourceType, resourceId, meta } of world.of(resources).where('resourceType', type).values()) {
        const subject = { resourceType, resourceId };
        // The last warrant on the way names the subject that was found.
        yield* resultsFor(facts, { ...entity, relation, subject }, explicit, subject, meta, (path) => path.at(-1)!);
      }
}

function* resultsFor(
  facts: Facts,
  access: Relationship,
  explicit: boolean,
  { resourceType, resourceId }: Entity,
  meta: WarrantQueryResult['meta'],
  warrantOf: (path: readonly Relationship[]) => Relationship,
): Generator<AccessResult> {
  const { authorized, isImplicit, path } = answerTo(facts, access, explicit ? 'explicit' : 'everything');
  if (!authorized) return;
  const { relation } = access;
  yield {
    id: grantName({ resourceType, resourceId }, relation),
    resourceType,
    resourceId,
    relation,
    warrant: warrantOf(path),
    isImplicit,
    ...(meta && { meta }),
  };
}

function typesIn(world: World, types: Names): readonly string[] {
  if (types === '*')
    return world
      .of(resourceTypes)
      .values()
      .map(({ id }) => id);
  refuseInQuery(types.flatMap((type) => [...namesIn(world, type)]));
  return types;
}

const relationsIn = (world: World, type: string, relations: Names): readonly string[] => {
  const all = Object.keys(relationsOf(world, type) ?? {});
  return relations === '*' ? all : all.filter((relation) => relations.includes(relation));
};

function* namesIn(world: World, type: string, relations: Names = []): Generator<RequestProblem> {
  for (const relation of relations === '*' || relations.length === 0 ? [undefined] : relations)
    yield* objectionsToNames(world, { type, relation }, { type: 'q', relation: 'q' });
}

const unknownInQuery = (what: string, name: string) =>
  unprocessableField('q', 'invalid_query', `must name ${what} where it has ${JSON.stringify(name)}`);

function refuseInQuery(errors: readonly RequestProblem[]): void {
  if (errors.length > 0) throw unprocessable(errors, 'invalid_query');
}
