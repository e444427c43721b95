import { rowsOf, type World } from './world.js';

const fga = rowsOf('fga');

const report = { resourceType: 'report', resourceId: '7' };
const ada = { resourceType: 'user', resourceId: 'ada' };
const isEditor = { resource: report, relation: 'editor', subject: ada };
const isPilot = { ...isEditor, relation: 'pilot' };

/** Reports, which have editors, and users. */
const typed = async (world: World) => {
  await world.fga.applyResourceTypes([
    { type: 'user', relations: {} },
    { type: 'report', relations: { editor: {} } },
  ]);
  return world.fga;
};

export const fgaRows = [
  fga('getResourceType', 'NotFoundError', 'an unknown type', 'entity_not_found', (world) =>
    world.fga.getResourceType('report'),
  ),
  fga('createResourceType', 'ConflictError', 'a name that is taken', 'resource_type_already_exists', async (world) =>
    (await typed(world)).createResourceType({ type: 'report', relations: {} }),
  ),
  fga('createResourceType', 'UnprocessableError', 'an unknown inherited relation', 'validation_error', (world) =>
    world.fga.createResourceType({ type: 'report', relations: { editor: { inherit_if: 'pilot' } } }),
  ),
  fga('updateResourceType', 'NotFoundError', 'an unknown type', 'entity_not_found', (world) =>
    world.fga.updateResourceType({ type: 'report', relations: {} }),
  ),
  fga('updateResourceType', 'UnprocessableError', 'an unknown inherited relation', 'validation_error', async (world) =>
    (await typed(world)).updateResourceType({ type: 'report', relations: { editor: { inherit_if: 'pilot' } } }),
  ),
  fga('deleteResourceType', 'NotFoundError', 'an unknown type', 'entity_not_found', (world) =>
    world.fga.deleteResourceType('report'),
  ),
  fga('applyResourceTypes', 'UnprocessableError', 'a type named twice', 'validation_error', (world) =>
    world.fga.applyResourceTypes([
      { type: 'report', relations: {} },
      { type: 'report', relations: {} },
    ]),
  ),
  fga('listWarrants', 'UnprocessableError', 'an unknown warrant token', 'unknown_warrant_token', (world) =>
    world.fga.listWarrants({}, { warrantToken: 'none' }),
  ),
  fga('writeWarrant', 'UnprocessableError', 'an unknown relation', 'validation_error', async (world) =>
    (await typed(world)).writeWarrant(isPilot),
  ),
  fga('writeWarrant', 'NotFoundError', 'deleting a warrant that is not there', 'entity_not_found', async (world) =>
    (await typed(world)).writeWarrant({ op: 'delete', ...isEditor }),
  ),
  fga('batchWriteWarrants', 'UnprocessableError', 'an unknown type', 'validation_error', async (world) =>
    (await typed(world)).batchWriteWarrants([{ ...isEditor, resource: { resourceType: 'ship', resourceId: '1' } }]),
  ),
  fga(
    'batchWriteWarrants',
    'NotFoundError',
    'deleting a warrant that is not there',
    'entity_not_found',
    async (world) => (await typed(world)).batchWriteWarrants([{ op: 'delete', ...isEditor }]),
  ),
  fga('getResource', 'NotFoundError', 'an unknown resource', 'entity_not_found', (world) =>
    world.fga.getResource(report),
  ),
  fga('createResource', 'ConflictError', 'an id that is taken', 'resource_already_exists', async (world) => {
    const { createResource } = await typed(world).then((room) => ({ createResource: room.createResource.bind(room) }));
    await createResource({ resource: report });
    return createResource({ resource: report });
  }),
  fga('createResource', 'UnprocessableError', 'an unknown type', 'validation_error', (world) =>
    world.fga.createResource({ resource: report }),
  ),
  fga('updateResource', 'NotFoundError', 'an unknown resource', 'entity_not_found', (world) =>
    world.fga.updateResource({ resource: report, meta: {} }),
  ),
  fga('deleteResource', 'NotFoundError', 'an unknown resource', 'entity_not_found', (world) =>
    world.fga.deleteResource(report),
  ),
  fga('batchWriteResources', 'InvalidArgumentError', '101 resources', 'invalid_argument', (world) =>
    world.fga.batchWriteResources({
      op: 'delete',
      resources: Array.from({ length: 101 }, (_, at) => ({ resourceType: 'report', resourceId: `${at}` })),
    }),
  ),
  fga('batchWriteResources', 'NotFoundError', 'deleting an unknown resource', 'entity_not_found', async (world) =>
    (await typed(world)).batchWriteResources({ op: 'delete', resources: [report] }),
  ),
  fga('batchWriteResources', 'ConflictError', 'a resource named twice', 'resource_already_exists', async (world) =>
    (await typed(world)).batchWriteResources({ op: 'create', resources: [{ resource: report }, { resource: report }] }),
  ),
  fga('batchWriteResources', 'UnprocessableError', 'an unknown type', 'validation_error', (world) =>
    world.fga.batchWriteResources({ op: 'create', resources: [{ resource: report }] }),
  ),
  fga('check', 'UnprocessableError', 'an unknown relation', 'validation_error', async (world) =>
    (await typed(world)).check({ checks: [isPilot] }),
  ),
  fga('checkBatch', 'UnprocessableError', 'an unknown relation', 'validation_error', async (world) =>
    (await typed(world)).checkBatch({ checks: [isEditor, isPilot] }),
  ),
  fga('query', 'UnprocessableError', 'half a question', 'invalid_query', async (world) =>
    (await typed(world)).query({ q: 'select report where' }),
  ),
];
