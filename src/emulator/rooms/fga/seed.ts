import { body, type Fields, ref } from '../../../service/describe/define.js';
import {
  type ResourceCreate,
  type ResourceType,
  resourceCreate,
  resourceType,
  warrantWrite,
} from '../../../service/fga.js';
import { section, sectionAtOnce } from '../../seed/section.js';
import { applyResourceTypes } from './resource-types.js';
import { createResource } from './resources.js';
import { beginning } from './warrant-tokens.js';
import { writeWarrants } from './warrants.js';

/** Types of resources with their relations. They may name each other in any order. */
export const resourceTypesSection = sectionAtOnce({
  name: 'resourceTypes',
  entry: ref<ResourceType>(resourceType),
  async plantAll(world, types, attempt) {
    await attempt([], () => applyResourceTypes(world, types));
  },
});

/** Things that access is decided about. */
export const resourcesSection = section({
  name: 'resources',
  entry: ref<ResourceCreate>(resourceCreate),
  plant: createResource,
});

const { op: _, ...warrantFields } = warrantWrite.shape;

/** The fact that a subject has a relation to a resource. */
export const seedWarrant = body(warrantFields);

/** Who has which relation to what. */
export const warrantsSection = section({
  name: 'warrants',
  entry: ref<Fields<typeof seedWarrant>>(seedWarrant),
  // They have been there for ever.
  plant: (world, warrant) => writeWarrants(world, [warrant], () => '', beginning),
});
