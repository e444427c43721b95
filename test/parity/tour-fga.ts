import type { Stop, Visit } from './tour.js';

let count = 0;
const newType = ({ sallyport }: Visit) => {
  count += 1;
  return sallyport.fga.createResourceType({ type: `crate-${count}`, relations: { owner: {} } });
};
const newResource = ({ sallyport }: Visit) => {
  count += 1;
  return sallyport.fga.createResource({ resource: { resourceType: 'report', resourceId: `r-${count}` } });
};
const warrant = {
  resource: { resourceType: 'report', resourceId: 'q3' },
  relation: 'viewer',
  subject: { resourceType: 'user', resourceId: 'user_chiara' },
};

/** The stops for fine-grained authorization. */
export const fgaStops: Readonly<Record<string, Stop>> = {
  'fga.getResourceType': ({ sallyport }) => sallyport.fga.getResourceType('report'),
  'fga.listResourceTypes': ({ sallyport }) => sallyport.fga.listResourceTypes().toArray({ max: 10 }),
  'fga.createResourceType': newType,
  'fga.updateResourceType': async (visit) => {
    const { type } = await newType(visit);
    return visit.sallyport.fga.updateResourceType({ type, relations: { owner: {}, keeper: {} } });
  },
  'fga.deleteResourceType': async (visit) => visit.sallyport.fga.deleteResourceType((await newType(visit)).type),
  'fga.applyResourceTypes': async ({ sallyport }) =>
    sallyport.fga.applyResourceTypes(await sallyport.fga.listResourceTypes().toArray({ max: 100 })),
  'fga.listWarrants': ({ sallyport }) => sallyport.fga.listWarrants().toArray({ max: 10 }),
  'fga.writeWarrant': ({ sallyport }) => sallyport.fga.writeWarrant(warrant),
  'fga.batchWriteWarrants': ({ sallyport }) => sallyport.fga.batchWriteWarrants([warrant]),
  'fga.getResource': ({ sallyport }) => sallyport.fga.getResource({ resourceType: 'report', resourceId: 'q3' }),
  'fga.listResources': ({ sallyport }) => sallyport.fga.listResources().toArray({ max: 10 }),
  'fga.createResource': newResource,
  'fga.updateResource': ({ sallyport }) =>
    sallyport.fga.updateResource({ resource: { resourceType: 'report', resourceId: 'q3' }, meta: { title: 'Q3' } }),
  'fga.deleteResource': async (visit) => {
    const { resourceType, resourceId } = await newResource(visit);
    return visit.sallyport.fga.deleteResource({ resourceType, resourceId });
  },
  'fga.batchWriteResources': ({ sallyport }) =>
    sallyport.fga.batchWriteResources({ op: 'create', resources: [{ resource: { resourceType: 'report' } }] }),
};
