import { part, ref, string } from '../../../service/describe/define.js';
import { type RelationDefinition, type ResourceType, resourceType } from '../../../service/fga.js';
import { conflict, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';
import { typeProblems } from './relation-definitions.js';

const resourceTypeRecord = part({
  /** Name of the type. */
  id: string,
  ...resourceType.shape,
});
/** A resource type as the emulator stores it. */
interface ResourceTypeRecord extends Stored<typeof resourceTypeRecord> {}

/** The schema of the environment: its resource types. */
export const resourceTypes = collection<ResourceTypeRecord>({
  object: 'resource type',
  prefix: 'resource_type',
  record: ref(resourceTypeRecord),
});

/** Find the relations of a type. Returns undefined if the type does not exist. */
export const relationsOf = (memory: Memory, type: string): Readonly<Record<string, RelationDefinition>> | undefined =>
  memory.of(resourceTypes).find(type)?.relations;

/** Find the definition of a relation. Returns undefined if the type or relation does not exist. */
export function definitionOf(memory: Memory, type: string, relation: string): RelationDefinition | undefined {
  const relations = relationsOf(memory, type);
  return relations && Object.hasOwn(relations, relation) ? relations[relation] : undefined;
}

/** Report a type that does not exist, or a relation that the type does not have. */
export function* unknownNameProblems(
  memory: Memory,
  names: { readonly type: string; readonly relation?: string | null | undefined },
  fields: { readonly type: string; readonly relation: string },
): Generator<RequestProblem> {
  const relations = relationsOf(memory, names.type);
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

/** Refuse a type with a malformed relation. Types that it refers to may be created later. */
function refuseMalformed(memory: Memory, type: ResourceType): void {
  const errors = [...typeProblems(type, (name) => relationsOf(memory, name), false)];
  if (errors.length > 0) throw unprocessable(errors);
}

/** Create a resource type. @throws {EmulatorRefusal} 409 if it exists, 422 if a relation is malformed. */
export function createResourceType(memory: Memory, { type, relations }: ResourceType): ResourceTypeRecord {
  if (memory.of(resourceTypes).find(type))
    throw conflict('resource_type_already_exists', `The resource type ${JSON.stringify(type)} already exists`);
  refuseMalformed(memory, { type, relations });
  return memory.of(resourceTypes).insert({ id: type, type, relations });
}

/** Replace the relations of a type. @throws {EmulatorRefusal} 404 for an unknown type, 422 if a relation is malformed. */
export function updateResourceType(memory: Memory, { type, relations }: ResourceType): ResourceTypeRecord {
  memory.of(resourceTypes).get(type);
  refuseMalformed(memory, { type, relations });
  return memory.of(resourceTypes).update(type, { relations });
}

/**
 * Replace all types by these. The resources and warrants of removed types stay stored, but have no effect until the type is
 * created again.
 *
 * @throws {EmulatorRefusal} 422 if a type is malformed, repeated, or refers to a type that is not in the list.
 */
export function applyResourceTypes(
  memory: Memory,
  replacements: readonly ResourceType[],
): readonly ResourceTypeRecord[] {
  const byName = new Map(replacements.map((type) => [type.type, type]));
  const errors = replacements.flatMap((type, at) => [
    ...typeProblems(type, (name) => byName.get(name)?.relations, true, `${at}.`),
    ...(replacements.findIndex((other) => other.type === type.type) === at
      ? []
      : [{ field: `${at}.type`, code: 'duplicate_value', message: 'must not repeat a type' }]),
  ]);
  if (errors.length > 0) throw unprocessable(errors);
  const types = memory.of(resourceTypes);
  for (const { id } of types.values()) if (!byName.has(id)) memory.delete(resourceTypes, id);
  return replacements.map(({ type, relations }) =>
    types.find(type) ? types.update(type, { relations }) : types.insert({ id: type, type, relations }),
  );
}
