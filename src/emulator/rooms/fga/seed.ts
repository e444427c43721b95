import { body, type Fields, ref } from '../../../service/describe/define.js';
import {
  type ResourceCreate,
  type ResourceType,
  resourceCreate,
  resourceType,
  warrantWrite,
} from '../../../service/fga.js';
import { batchSection, section } from '../../seed/section.js';
import { applyResourceTypes, relationsOf, resourceTypes } from './resource-types.js';
import { createResource, resources } from './resources.js';
import { beginning } from './warrant-tokens.js';
import { warrantsThatCount, writeWarrants } from './warrants.js';

/** Types of resources with their relations. They may name each other in any order. */
export const resourceTypesSection = batchSection({
  name: 'resourceTypes',
  entry: ref<ResourceType>(resourceType),
  async plantAll(world, types, attempt) {
    await attempt([], () => applyResourceTypes(world, types));
  },
  export: (world) => world.of(resourceTypes).values(),
});

/** Things that access is decided about. */
export const resourcesSection = section({
  name: 'resources',
  entry: ref<ResourceCreate>(resourceCreate),
  plant: createResource,
  export: (world) => world.of(resources).filter(({ resourceType }) => relationsOf(world, resourceType) !== undefined),
  exportedFields: (_, { meta }) => (meta ? { meta } : {}),
});

const { op: _, ...warrantFields } = warrantWrite.shape;

/** The fact that a subject has a relation to a resource. */
export const seedWarrant = body(warrantFields);

/** Who has which relation to what. */
export const warrantsSection = batchSection({
  name: 'warrants',
  entry: ref<Fields<typeof seedWarrant>>(seedWarrant),
  async plantAll(world, entries, attempt) {
    // They have been there for ever.
    for (const [at, warrant] of entries.entries())
      await attempt([at], () => writeWarrants(world, [warrant], () => '', beginning));
  },
  export: warrantsThatCount,
});
