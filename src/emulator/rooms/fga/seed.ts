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
import { effectiveWarrants, writeWarrants } from './warrants.js';

export const resourceTypesSection = batchSection({
  name: 'resourceTypes',
  entry: ref<ResourceType>(resourceType),
  async plantAll(memory, types, attempt) {
    await attempt([], () => applyResourceTypes(memory, types));
  },
  export: (memory) => memory.of(resourceTypes).values(),
});

export const resourcesSection = section({
  name: 'resources',
  entry: ref<ResourceCreate>(resourceCreate),
  plant: createResource,
  export: (memory) =>
    memory.of(resources).filter(({ resourceType }) => relationsOf(memory, resourceType) !== undefined),
  exportedFields: (_, { meta }) => (meta ? { meta } : {}),
});

const { op: _, ...warrantFields } = warrantWrite.shape;

export const seedWarrant = body(warrantFields);

export const warrantsSection = batchSection({
  name: 'warrants',
  entry: ref<Fields<typeof seedWarrant>>(seedWarrant),
  async plantAll(memory, entries, attempt) {
    for (const [at, warrant] of entries.entries())
      await attempt([at], () => writeWarrants(memory, [warrant], () => ''));
  },
  export: effectiveWarrants,
});
