import { part, ref, string } from '../../../service/describe/define.js';
import { type RelationDefinition, type ResourceType, resourceType } from '../../../service/fga.js';
import { conflict, type RequestProblem, unprocessable } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';
import { objectionsToType } from './relation-definitions.js';

/** A type of resource as the emulator stores it. */
export interface ResourceTypeRecord extends ResourceType {
  /** Its name. */
  readonly id: string;
}

/** The schema of the environment: the types of resources. */
export const resourceTypes = collection<ResourceTypeRecord>({
  object: 'resource type',
  prefix: 'resource_type',
  record: ref<ResourceTypeRecord>(part({ id: string, ...resourceType.shape })),
});

/** The relations of a type; undefined for one that does not exist. */
export const relationsOf = (world: World, type: string): Readonly<Record<string, RelationDefinition>> | undefined =>
  world.of(resourceTypes).find(type)?.relations;

/** How a relation is defined; undefined when the type or the relation does not exist. */
export function definitionOf(world: World, type: string, relation: string): RelationDefinition | undefined {
  const relations = relationsOf(world, type);
  return relations && Object.hasOwn(relations, relation) ? relations[relation] : undefined;
}

/** What is wrong with naming a type, and a relation of it, when there is no such thing. */
export function* objectionsToNames(
  world: World,
  names: { readonly type: string; readonly relation?: string | null | undefined },
  fields: { readonly type: string; readonly relation: string },
): Generator<RequestProblem> {
  const relations = relationsOf(world, names.type);
  if (!relations)
    yield {
      field: fields.type,
      code: 'unknown_resource_type',
      message: `must be a resource type that exists; create ${JSON.stringify(names.type)} first`,
    };
  else if (names.relation && !Object.hasOwn(relations, names.relation))
    yield {
      field: fields.relation,
      code: 'unknown_relation',
      message: `must be a relation of ${names.type} (${Object.keys(relations).join(', ') || 'it has none'}), not ${JSON.stringify(names.relation)}`,
    };
}

/** Refuse a type that names relations that do not exist. Types it names may be created later. */
function check(world: World, type: ResourceType): void {
  const errors = [...objectionsToType(type, (name) => relationsOf(world, name), false)];
  if (errors.length > 0) throw unprocessable(errors);
}

/** Add a type. @throws {Refusal} 409 when there is one of this name, 422 when a relation is malformed. */
export function createResourceType(world: World, { type, relations }: ResourceType): ResourceTypeRecord {
  if (world.of(resourceTypes).find(type))
    throw conflict('resource_type_already_exists', `There already is a resource type ${JSON.stringify(type)}`);
  check(world, { type, relations });
  return world.of(resourceTypes).insert({ id: type, type, relations });
}

/** Give a type other relations. @throws {Refusal} 404 for an unknown type, 422 when a relation is malformed. */
export function updateResourceType(world: World, { type, relations }: ResourceType): ResourceTypeRecord {
  world.of(resourceTypes).get(type);
  check(world, { type, relations });
  return world.of(resourceTypes).update(type, { relations });
}

/**
 * Make these the only types. As with the deletion of one, resources and warrants of types that go stay where they are, and
 * count for nothing until their type is back: only types are said to be replaced.
 *
 * @throws {Refusal} 422 when a type is malformed, named twice, or names one that is not among them.
 */
export function applyResourceTypes(world: World, replacements: readonly ResourceType[]): readonly ResourceTypeRecord[] {
  const byName = new Map(replacements.map((type) => [type.type, type]));
  const errors = replacements.flatMap((type, at) => [
    ...objectionsToType(type, (name) => byName.get(name)?.relations, true, `${at}.`),
    ...(replacements.findIndex((other) => other.type === type.type) === at
      ? []
      : [{ field: `${at}.type`, code: 'duplicate_value', message: 'must not name a type twice' }]),
  ]);
  if (errors.length > 0) throw unprocessable(errors);
  const types = world.of(resourceTypes);
  for (const { id } of types.values()) if (!byName.has(id)) types.delete(id);
  return replacements.map(({ type, relations }) =>
    types.find(type) ? types.update(type, { relations }) : types.insert({ id: type, type, relations }),
  );
}
