import { maybe, nullable, part, ref, string } from '../../../service/describe/define.js';
import type { WarrantFilter, WarrantWrite } from '../../../service/fga.js';
import type { QueryValues } from '../../http/router.js';
import { notFound, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { ListQuery, Page } from '../../store/selection.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';
import type { WarrantReader } from './engine.js';
import { type Entity, entityName, grantName, type Relationship, relationshipName, type Subject } from './names.js';
import { definitionOf, unknownNameProblems } from './resource-types.js';
import { ensureResource, idProblems } from './resources.js';
import { recordWarrantWrite } from './warrant-tokens.js';

const warrantRecord = part({
  /** Name, such as `report:7#editor@user:ada`. Also the cursor in lists. */
  id: string,
  resourceType: string,
  resourceId: string,
  relation: string,
  subject: ref<Subject>(part({ resourceType: string, resourceId: string, relation: maybe(string) })),
  /** Name of the resource. */
  on: string,
  /** Name of the subject, without its relation. */
  to: string,
  /** The grant of a group warrant, such as `report:7#viewer`; null for other warrants. */
  group: nullable(string),
  /** The grant and the type of a direct subject, such as `report:7#parent@folder`; null for a group warrant. */
  ofType: nullable(string),
});
/** A warrant as the emulator stores it. */
interface WarrantRecord extends Stored<typeof warrantRecord> {}

/** All warrants. */
export const warrants = collection<WarrantRecord>({
  object: 'warrant',
  prefix: 'warrant',
  index: ['on', 'to', 'group', 'ofType', 'resourceType', 'relation'],
  record: ref(warrantRecord),
});

const anyId = '*';

/** Return the data for the engine. A warrant on `*` applies to every resource of its type. */
export const warrantReaderOf = (memory: Memory): WarrantReader => {
  const all = memory.of(warrants);
  const types = new Map<string, boolean>();
  const hasWarrantsOnAll = (resourceType: string): boolean => {
    let has = types.get(resourceType);
    if (has === undefined) {
      has = all.where('on', entityName({ resourceType, resourceId: anyId })).size > 0;
      types.set(resourceType, has);
    }
    return has;
  };
  /** Return the resource, and the wildcard of its type if that has warrants. */
  const withWildcard = ({ resourceType, resourceId }: Entity): readonly Entity[] =>
    resourceId !== anyId && hasWarrantsOnAll(resourceType)
      ? [
          { resourceType, resourceId },
          { resourceType, resourceId: anyId },
        ]
      : [{ resourceType, resourceId }];
  return {
    definition: (type, relation) => definitionOf(memory, type, relation),
    warrant: (resource, relation, subject) => {
      for (const one of withWildcard(resource)) {
        const warrant = all.find(relationshipName({ ...one, relation, subject }));
        if (warrant) return warrant;
      }
      return undefined;
    },
    everyOf: (resource) => withWildcard(resource)[1],
    groupWarrants: (resource, relation) => all.where('group', grantName(resource, relation)).values(),
    warrantsOfType: (resource, relation, type) => all.where('ofType', grantOfType(resource, relation, type)).values(),
  };
};

const grantOfType = (resource: Entity, relation: string, type: string): string =>
  relationshipName({ ...resource, relation, subject: { resourceType: type, resourceId: '' } });

// ---- writing --------------------------------------------------------------------------------

/**
 * Write warrants in order. If one fails, nothing changes. Missing resources are created.
 *
 * Creating a warrant that exists changes nothing. Deleting an unknown warrant is an error: if a wrong name were ignored, the
 * access would remain.
 *
 * @param at Path of a write in the request, such as `0.`.
 * @returns The warrant token of the write.
 * @throws {EmulatorRefusal} 404, 422.
 */
export function writeWarrants(
  memory: Memory,
  writes: readonly WarrantWrite[],
  at: (index: number) => string = (index) => `${index}.`,
): string {
  const errors = writes.flatMap((write, index) =>
    write.op === 'delete' ? [] : [...warrantProblems(memory, write, at(index))],
  );
  if (errors.length > 0) throw unprocessable(errors);

  const all = memory.of(warrants);
  const plan = new Map<string, WarrantWrite>();
  for (const write of writes) {
    const name = relationshipName(write);
    const before = plan.get(name);
    const exists = before ? before.op !== 'delete' : all.find(name) !== undefined;
    if (write.op === 'delete' && !exists) throw notFound('warrant', name, 'name');
    plan.set(name, write);
  }
  for (const [name, { op, ...write }] of plan) {
    const exists = all.find(name) !== undefined;
    if (op !== 'delete' && !exists) insert(memory, name, write);
    if (op === 'delete' && exists) memory.delete(warrants, name);
  }
  return recordWarrantWrite(memory);
}

/** List the warrants whose types and relations still exist. */
export const effectiveWarrants = (memory: Memory): readonly WarrantRecord[] =>
  memory.of(warrants).filter((one) => warrantProblems(memory, one, '').next().done === true);

function* warrantProblems(memory: Memory, write: WarrantWrite, at: string): Generator<RequestProblem> {
  const { resourceType, resourceId, relation, subject } = write;
  if (resourceId !== anyId) yield* idProblems(resourceId, `${at}resource_id`);
  yield* idProblems(subject.resourceId, `${at}subject.resource_id`);
  yield* unknownNameProblems(
    memory,
    { type: resourceType, relation },
    { type: `${at}resource_type`, relation: `${at}relation` },
  );
  yield* unknownNameProblems(
    memory,
    { type: subject.resourceType, relation: subject.relation },
    { type: `${at}subject.resource_type`, relation: `${at}subject.relation` },
  );
  const types = definitionOf(memory, resourceType, relation)?.allowed_types;
  if (types && !types.includes(subject.resourceType))
    yield {
      field: `${at}subject.resource_type`,
      code: 'subject_type_not_allowed',
      message: `must be a type that can be ${relation} of a ${resourceType}: ${types.join(', ')}`,
    };
}

function insert(memory: Memory, id: string, { resourceType, resourceId, relation, subject }: Relationship): void {
  if (resourceId !== anyId) ensureResource(memory, { resourceType, resourceId });
  ensureResource(memory, subject);
  const resource = { resourceType, resourceId };
  memory.of(warrants).insert({
    id,
    ...resource,
    relation,
    // An empty relation means the same as none.
    subject: {
      resourceType: subject.resourceType,
      resourceId: subject.resourceId,
      ...(subject.relation && { relation: subject.relation }),
    },
    on: entityName(resource),
    to: entityName(subject),
    group: subject.relation ? grantName(resource, relation) : null,
    ofType: subject.relation ? null : grantOfType(resource, relation, subject.resourceType),
  });
}

/** Delete every warrant that names a resource, as resource or as subject. */
export function deleteWarrantsOf(memory: Memory, resource: Entity): void {
  const all = memory.of(warrants);
  const name = entityName(resource);
  const matches = new Set([...all.where('on', name).values(), ...all.where('to', name).values()]);
  for (const { id } of matches) memory.delete(warrants, id);
  if (matches.size > 0) recordWarrantWrite(memory);
}

// ---- listing --------------------------------------------------------------------------------

/** List warrants, one page at a time. */
export function listWarrants(memory: Memory, filter: QueryValues<WarrantFilter>, list: ListQuery): Page<WarrantRecord> {
  const { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation } = filter;
  const matches = (filter: string | undefined, value: string | null | undefined): boolean =>
    filter === undefined || filter === value;
  const nameOf = (resourceType: string | undefined, resourceId: string | undefined): string | undefined =>
    resourceType === undefined || resourceId === undefined ? undefined : entityName({ resourceType, resourceId });
  return memory
    .of(warrants)
    .page(
      list,
      { on: nameOf(resourceType, resourceId), to: nameOf(subjectType, subjectId), resourceType, relation },
      (warrant) =>
        matches(resourceId, warrant.resourceId) &&
        matches(subjectType, warrant.subject.resourceType) &&
        matches(subjectId, warrant.subject.resourceId) &&
        matches(subjectRelation, warrant.subject.relation),
    );
}
