import { opaque, optional, part, ref, string } from '../../../service/describe/define.js';
import type { ResourceBatchWrite, ResourceCreate, ResourceFilter } from '../../../service/fga.js';
import type { QueryValues } from '../../http/router.js';
import { conflict, notFound, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { ListQuery, Page } from '../../store/selection.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';
import { type Entity, entityName } from './names.js';
import { unknownNameProblems } from './resource-types.js';

const resourceRecord = part({
  /** Type and id, such as `report:7`, because resource ids are unique only within their type. Also the cursor in lists. */
  id: string,
  resourceType: string,
  resourceId: string,
  /** Absent if no metadata was given. */
  meta: optional(opaque),
});
/** A resource as the emulator stores it. */
export interface ResourceRecord extends Stored<typeof resourceRecord> {}

/** All resources. */
export const resources = collection<ResourceRecord>({
  object: 'resource',
  prefix: 'resource',
  index: ['resourceType'],
  record: ref(resourceRecord),
});

/** Report an id that cannot be the id of a single resource. */
export function* idProblems(resourceId: string, field: string): Generator<RequestProblem> {
  if (resourceId.trim() === '') yield { field, code: 'required', message: 'must not be blank' };
  if (resourceId === '*')
    yield {
      field,
      code: 'invalid_value',
      message: 'must be the id of one resource; * is only allowed as the resource_id of a warrant',
    };
}

/** Find a resource by type and id. @throws {EmulatorRefusal} 404. */
export function resourceOf(memory: Memory, resource: Entity): ResourceRecord {
  const record = memory.of(resources).find(entityName(resource));
  if (!record) throw resourceNotFound(resource);
  return record;
}

const resourceNotFound = ({ resourceType, resourceId }: Entity) =>
  notFound(`resource of the type ${resourceType}`, resourceId);

/** List resources, one page at a time. */
export function listResources(
  memory: Memory,
  { resourceType, search }: QueryValues<ResourceFilter>,
  list: ListQuery,
): Page<ResourceRecord> {
  const text = search?.toLowerCase();
  return memory
    .of(resources)
    .page(list, { resourceType }, ({ resourceId }) => !text || resourceId.toLowerCase().includes(text));
}

/** Find a resource by type and id, or create it. */
export const ensureResource = (memory: Memory, { resourceType, resourceId }: Entity): ResourceRecord => {
  const id = entityName({ resourceType, resourceId });
  return memory.of(resources).find(id) ?? memory.of(resources).insert({ id, resourceType, resourceId });
};

/** Create a resource. The id is generated if it is omitted. @throws {EmulatorRefusal} 409, 422. */
export const createResource = (memory: Memory, resource: ResourceCreate): ResourceRecord =>
  createAll(memory, [resource], () => '')[0]!;

/** Replace the metadata of a resource. @throws {EmulatorRefusal} 404. */
export const updateResource = (memory: Memory, resource: Entity, meta: Record<string, unknown>): ResourceRecord =>
  memory.of(resources).update(resourceOf(memory, resource).id, { meta });

/** Delete a resource with all its warrants. @throws {EmulatorRefusal} 404. */
export const deleteResource = (memory: Memory, resource: Entity): ResourceRecord =>
  memory.delete(resources, resourceOf(memory, resource).id);

/** Create or delete a batch of resources. If one fails, nothing changes. @throws {EmulatorRefusal} 404, 409, 422. */
export function writeResources(
  memory: Memory,
  { op, resources: batch }: ResourceBatchWrite,
): readonly ResourceRecord[] {
  const field = (at: number): string => `resources.${at}.`;
  return op === 'create' ? createAll(memory, batch, field) : deleteAll(memory, batch, field);
}

function createAll(
  memory: Memory,
  batch: readonly ResourceCreate[],
  field: (at: number) => string,
): readonly ResourceRecord[] {
  const errors = batch.flatMap(({ resourceType, resourceId }, at) => [
    ...unknownNameProblems(memory, { type: resourceType }, { type: `${field(at)}resource_type`, relation: '' }),
    ...(resourceId === undefined ? [] : idProblems(resourceId, `${field(at)}resource_id`)),
  ]);
  if (errors.length > 0) throw unprocessable(errors);
  // Generated resource ids have no prefix.
  const newId = (): string => memory.ids('').slice(1);
  const entries = batch.map(({ resourceId = newId(), ...rest }) => ({ ...rest, resourceId }));
  const names = new Set<string>();
  for (const resource of entries) {
    const name = entityName(resource);
    if (names.has(name) || memory.of(resources).find(name))
      throw conflict('resource_already_exists', `The resource ${name} already exists`);
    names.add(name);
  }
  return entries.map(({ resourceType, resourceId, meta }) =>
    memory
      .of(resources)
      .insert({ id: entityName({ resourceType, resourceId }), resourceType, resourceId, ...(meta && { meta }) }),
  );
}

function deleteAll(
  memory: Memory,
  batch: readonly ResourceCreate[],
  field: (at: number) => string,
): readonly ResourceRecord[] {
  const entries = batch.flatMap(({ resourceType, resourceId }) => (resourceId ? { resourceType, resourceId } : []));
  if (entries.length < batch.length)
    throw unprocessable(
      batch.flatMap(({ resourceId }, at) =>
        resourceId
          ? []
          : { field: `${field(at)}resource_id`, code: 'required', message: 'is required to delete a resource' },
      ),
    );
  const byName = new Map(entries.map((resource) => [entityName(resource), resourceOf(memory, resource)]));
  for (const { id } of byName.values()) memory.delete(resources, id);
  return [...byName.values()];
}
