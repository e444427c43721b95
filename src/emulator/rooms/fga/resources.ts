import { opaque, optional, part, ref, string } from '../../../service/describe/define.js';
import type { Resource, ResourceBatchWrite, ResourceCreate, ResourceFilter } from '../../../service/fga.js';
import type { QueryValues } from '../../server/router.js';
import { conflict, notFound, type RequestProblem, unprocessable } from '../../world/refusal.js';
import type { ListQuery, Page } from '../../world/selection.js';
import { collection, type World } from '../../world/world.js';
import { type Entity, entityName } from './names.js';
import { objectionsToNames } from './resource-types.js';

/** A thing that access is decided about, as the emulator stores it. */
export interface ResourceRecord extends Entity {
  /** Its name, `report:7`: ids of resources are unique within their type only. Also its cursor in lists. */
  readonly id: string;
  /** Absent where nothing was noted. */
  readonly meta?: NonNullable<Resource['meta']>;
}

/** All things that access is decided about. */
export const resources = collection<ResourceRecord>({
  object: 'resource',
  prefix: 'resource',
  index: ['resourceType'],
  record: ref<ResourceRecord>(part({ id: string, resourceType: string, resourceId: string, meta: optional(opaque) })),
});

/** What is wrong with an id for one resource. */
export function* objectionsToId(resourceId: string, field: string): Generator<RequestProblem> {
  if (resourceId.trim() === '') yield { field, code: 'required', message: 'must not be blank' };
  if (resourceId === '*')
    yield {
      field,
      code: 'invalid_value',
      message: 'must name one resource; * stands for all of a type, on the left of a warrant only',
    };
}

/** The resource of this type and id. @throws {Refusal} 404. */
export function resourceOf(world: World, resource: Entity): ResourceRecord {
  const record = world.of(resources).find(entityName(resource));
  if (!record) throw absent(resource);
  return record;
}

const absent = ({ resourceType, resourceId }: Entity) => notFound(`${resourceType} among the resources`, resourceId);

/** One page of resources. */
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

/** The resource of this type and id, made where it does not exist. */
export const ensureResource = (world: World, { resourceType, resourceId }: Entity): ResourceRecord => {
  const id = entityName({ resourceType, resourceId });
  return world.of(resources).find(id) ?? world.of(resources).insert({ id, resourceType, resourceId });
};

/** Add a resource, with an id of its own making where none is given. @throws {Refusal} 409, 422. */
export const createResource = (world: World, resource: ResourceCreate): ResourceRecord =>
  createAll(world, [resource], () => '')[0]!;

/** Replace what is noted about a resource. @throws {Refusal} 404. */
export const updateResource = (world: World, resource: Entity, meta: Record<string, unknown>): ResourceRecord =>
  world.of(resources).update(resourceOf(world, resource).id, { meta });

/** Delete a resource, and with it whatever names it. @throws {Refusal} 404. */
export const deleteResource = (world: World, resource: Entity): ResourceRecord =>
  world.of(resources).delete(resourceOf(world, resource).id);

/** Create and delete resources: all of them, or none. @throws {Refusal} 404, 409, 422. */
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
    ...objectionsToNames(world, { type: resourceType }, { type: `${field(at)}resource_type`, relation: '' }),
    ...(resourceId === undefined ? [] : objectionsToId(resourceId, `${field(at)}resource_id`)),
  ]);
  if (errors.length > 0) throw unprocessable(errors);
  // The plain id, without a prefix: it is unique within its type.
  const fresh = (): string => world.ids('').slice(1);
  const entries = batch.map(({ resourceId = fresh(), ...rest }) => ({ ...rest, resourceId }));
  const names = new Set<string>();
  for (const resource of entries) {
    const name = entityName(resource);
    if (names.has(name) || world.of(resources).find(name))
      throw conflict('resource_already_exists', `There already is a resource ${name}`);
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
