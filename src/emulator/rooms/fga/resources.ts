import { opaque, optional, part, ref, string } from '../../../service/describe/define.js';
import type { Resource, ResourceBatchWrite, ResourceCreate, ResourceFilter } from '../../../service/fga.js';
import type { QueryValues } from '../../http/router.js';
import { conflict, notFound, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { ListQuery, Page } from '../../store/selection.js';
import { collection, type World } from '../../world/world.js';
import { type Entity, entityName } from './names.js';
import { unknownNameProblems } from './resource-types.js';

/** A resource as the emulator stores it. */
export interface ResourceRecord extends Entity {
  /** Type and id, such as `report:7`, because resource ids are unique only within their type. Also the cursor in lists. */
  readonly id: string;
  /** Absent if no metadata was given. */
  readonly meta?: NonNullable<Resource['meta']>;
}

/** All resources. */
export const resources = collection<ResourceRecord>({
  object: 'resource',
  prefix: 'resource',
  index: ['resourceType'],
  record: ref<ResourceRecord>(part({ id: string, resourceType: string, resourceId: string, meta: optional(opaque) })),
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

/** Find a resource by type and id. @throws {Refusal} 404. */
export function resourceOf(world: World, resource: Entity): ResourceRecord {
  const record = world.of(resources).find(entityName(resource));
  if (!record) throw resourceNotFound(resource);
  return record;
}

const resourceNotFound = ({ resourceType, resourceId }: Entity) =>
  notFound(`resource of the type ${resourceType}`, resourceId);

/** List resources, one page at a time. */
export function listResources(
  world: World,
  { resourceType, search }: QueryValues<ResourceFilter>,
  list: ListQuery,
): Page<ResourceRecord> {
  const text = search?.toLowerCase();
  return world
    .of(resources)
    .page(list, { resourceType }, ({ resourceId }) => !text || resourceId.toLowerCase().includes(text));
}

/** Find a resource by type and id, or create it. */
export const ensureResource = (world: World, { resourceType, resourceId }: Entity): ResourceRecord => {
  const id = entityName({ resourceType, resourceId });
  return world.of(resources).find(id) ?? world.of(resources).insert({ id, resourceType, resourceId });
};

/** Create a resource. The id is generated if it is omitted. @throws {Refusal} 409, 422. */
export const createResource = (world: World, resource: ResourceCreate): ResourceRecord =>
  createAll(world, [resource], () => '')[0]!;

/** Replace the metadata of a resource. @throws {Refusal} 404. */
export const updateResource = (world: World, resource: Entity, meta: Record<string, unknown>): ResourceRecord =>
  world.of(resources).update(resourceOf(world, resource).id, { meta });

/** Delete a resource with all its warrants. @throws {Refusal} 404. */
export const deleteResource = (world: World, resource: Entity): ResourceRecord =>
  world.of(resources).delete(resourceOf(world, resource).id);

/** Create or delete a batch of resources. If one fails, nothing changes. @throws {Refusal} 404, 409, 422. */
export function writeResources(world: World, { op, resources: batch }: ResourceBatchWrite): readonly ResourceRecord[] {
  const field = (at: number): string => `resources.${at}.`;
  return op === 'create' ? createAll(world, batch, field) : deleteAll(world, batch, field);
}

function createAll(
  world: World,
  batch: readonly ResourceCreate[],
  field: (at: number) => string,
): readonly ResourceRecord[] {
  const errors = batch.flatMap(({ resourceType, resourceId }, at) => [
    ...unknownNameProblems(world, { type: resourceType }, { type: `${field(at)}resource_type`, relation: '' }),
    ...(resourceId === undefined ? [] : idProblems(resourceId, `${field(at)}resource_id`)),
  ]);
  if (errors.length > 0) throw unprocessable(errors);
  // Generated resource ids have no prefix.
  const newId = (): string => world.ids('').slice(1);
  const entries = batch.map(({ resourceId = newId(), ...rest }) => ({ ...rest, resourceId }));
  const names = new Set<string>();
  for (const resource of entries) {
    const name = entityName(resource);
    if (names.has(name) || world.of(resources).find(name))
      throw conflict('resource_already_exists', `The resource ${name} already exists`);
    names.add(name);
  }
  return entries.map(({ resourceType, resourceId, meta }) =>
    world
      .of(resources)
      .insert({ id: entityName({ resourceType, resourceId }), resourceType, resourceId, ...(meta && { meta }) }),
  );
}

function deleteAll(
  world: World,
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
  const byName = new Map(entries.map((resource) => [entityName(resource), resourceOf(world, resource)]));
  for (const { id } of byName.values()) world.of(resources).delete(id);
  return [...byName.values()];
}
