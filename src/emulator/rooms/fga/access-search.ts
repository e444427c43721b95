import type { WarrantQueryResult } from '../../../service/fga.js';
import { type RequestProblem, unprocessable, unprocessableField } from '../../store/refusal.js';
import type { ListQuery, Page } from '../../store/selection.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { answerTo } from './access.js';
import { type Entity, grantName, type Relationship } from './names.js';
import { pageByName } from './page-by-name.js';
import { type Names, parseWarrantQuery, type WarrantQuestion } from './query.js';
import { definitionOf, relationsOf, resourceTypes, unknownNameProblems } from './resource-types.js';
import { type ResourceRecord, resources } from './resources.js';
import { warrantReaderOf } from './warrants.js';

/** A search result. Results are sorted and paged by id. */
interface AccessResult extends View<WarrantQueryResult> {
  readonly id: string;
}

/** A resource that could be a result, and the relation to check for it. */
interface Candidate {
  readonly found: ResourceRecord;
  readonly grant: Omit<Relationship, 'subject'>;
  readonly subject: Entity;
}

/** Run a query in the query language. Results are sorted by name. @throws {EmulatorRefusal} 422. */
export function searchAccess(memory: Memory, query: string, list: ListQuery): Page<AccessResult> {
  const question = parseWarrantQuery(query);
  const { select, explicit } = question;
  const candidates = select === 'resources' ? resourceCandidates : subjectCandidates;
  const reader = warrantReaderOf(memory);
  const named = Array.from(candidates(memory, question), (candidate) => ({
    ...candidate,
    id: grantName(candidate.found, candidate.grant.relation),
  }));
  return pageByName(named, list, ({ id, found: { resourceType, resourceId, meta }, grant, subject }) => {
    const { authorized, path, isImplicit } = answerTo(
      reader,
      { ...grant, subject },
      explicit ? 'explicit' : 'everything',
    );
    // The warrant nearest to the result.
    const warrant = path.at(select === 'resources' ? 0 : -1)!;
    return authorized
      ? { id, resourceType, resourceId, relation: grant.relation, warrant, isImplicit, ...(meta && { meta }) }
      : undefined;
  });
}

/** List the resources of these types, once for each of the relations. */
function* resourceCandidates(memory: Memory, { types, relations, entity }: WarrantQuestion): Generator<Candidate> {
  const typeNames = typesIn(memory, types);
  refuseInQuery([...namesIn(memory, entity.resourceType)]);
  if (relations !== '*')
    for (const relation of relations)
      if (!typeNames.some((type) => definitionOf(memory, type, relation)))
        throw unknownInQuery(`a relation of ${typeNames.join(' or ')}`, relation);
  for (const type of typeNames)
    for (const relation of relationsIn(memory, type, relations))
      for (const found of resourcesOf(memory, type)) yield { found, grant: { ...found, relation }, subject: entity };
}

/** List the resources of these types as subjects, once for each of the relations. */
function* subjectCandidates(memory: Memory, { types, relations, entity }: WarrantQuestion): Generator<Candidate> {
  const typeNames = typesIn(memory, types);
  refuseInQuery([...namesIn(memory, entity.resourceType, relations)]);
  for (const relation of relationsIn(memory, entity.resourceType, relations))
    for (const type of typeNames)
      for (const found of resourcesOf(memory, type)) yield { found, grant: { ...entity, relation }, subject: found };
}

const resourcesOf = (memory: Memory, type: string) => memory.of(resources).where('resourceType', type).values();

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
