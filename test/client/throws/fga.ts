import { rowsOf, type World } from './world.js';

const report = { resourceType: 'report', resourceId: '7' };
const ada = { resourceType: 'user', resourceId: 'ada' };
const isEditor = { resource: report, relation: 'editor', subject: ada };
const isPilot = { ...isEditor, relation: 'pilot' };

/** Reports that have editors, and users. */
const typed = async (world: World) => {
  await world.fga.applyResourceTypes([
    { type: 'user', relations: {} },
    { type: 'report', relations: { editor: {} } },
  ]);
  return world.fga;
};

export const fgaRows = [
  ...rowsOf('fga', {
    'getResourceType NotFoundError entity_not_found': (world) => world.fga.getResourceType('report'),
    'createResourceType ConflictError resource_type_already_exists': async (world) =>
      (await typed(world)).createResourceType({ type: 'report', relations: {} }),
    'createResourceType UnprocessableError validation_error': (world) =>
      world.fga.createResourceType({ type: 'report', relations: { editor: { inherit_if: 'pilot' } } }),
    'updateResourceType NotFoundError entity_not_found': (world) =>
      world.fga.updateResourceType({ type: 'report', relations: {} }),
    'updateResourceType UnprocessableError validation_error': async (world) =>
      (await typed(world)).updateResourceType({ type: 'report', relations: { editor: { inherit_if: 'pilot' } } }),
    'deleteResourceType NotFoundError entity_not_found': (world) => world.fga.deleteResourceType('report'),
    'applyResourceTypes UnprocessableError validation_error': (world) =>
      world.fga.applyResourceTypes([
        { type: 'report', relations: {} },
        { type: 'report', relations: {} },
      ]),
    'listWarrants UnprocessableError unknown_warrant_token': (world) =>
      world.fga.listWarrants({}, { warrantToken: 'none' }),
    'writeWarrant UnprocessableError validation_error': async (world) => (await typed(world)).writeWarrant(isPilot),
    'writeWarrant NotFoundError entity_not_found': async (world) =>
      (await typed(world)).writeWarrant({ op: 'delete', ...isEditor }),
    'batchWriteWarrants UnprocessableError validation_error': async (world) =>
      (await typed(world)).batchWriteWarrants([{ ...isEditor, resource: { resourceType: 'ship', resourceId: '1' } }]),
    'batchWriteWarrants NotFoundError entity_not_found': async (world) =>
      (await typed(world)).batchWriteWarrants([{ op: 'delete', ...isEditor }]),
    'getResource NotFoundError entity_not_found': (world) => world.fga.getResource(report),
    'createResource ConflictError resource_already_exists': async (world) => {
      const { createResource } = await typed(world).then((room) => ({
        createResource: room.createResource.bind(room),
      }));
      await createResource({ resource: report });
      return createResource({ resource: report });
    },
    'createResource UnprocessableError validation_error': (world) => world.fga.createResource({ resource: report }),
    'updateResource NotFoundError entity_not_found': (world) =>
      world.fga.updateResource({ resource: report, meta: {} }),
    'deleteResource NotFoundError entity_not_found': (world) => world.fga.deleteResource(report),
    'batchWriteResources InvalidArgumentError invalid_argument': (world) =>
      world.fga.batchWriteResources({
        op: 'delete',
        resources: Array.from({ length: 101 }, (_, at) => ({ resourceType: 'report', resourceId: `${at}` })),
      }),
    'batchWriteResources NotFoundError entity_not_found': async (world) =>
      (await typed(world)).batchWriteResources({ op: 'delete', resources: [report] }),
    'batchWriteResources ConflictError resource_already_exists': async (world) =>
      (await typed(world)).batchWriteResources({
        op: 'create',
        resources: [{ resource: report }, { resource: report }],
      }),
    'batchWriteResources UnprocessableError validation_error': (world) =>
      world.fga.batchWriteResources({ op: 'create', resources: [{ resource: report }] }),
    'check UnprocessableError validation_error': async (world) => (await typed(world)).check({ checks: [isPilot] }),
    'checkBatch UnprocessableError validation_error': async (world) =>
      (await typed(world)).checkBatch({ checks: [isEditor, isPilot] }),
    'query UnprocessableError invalid_query': async (world) => (await typed(world)).query({ q: 'select report where' }),
  }),
];
