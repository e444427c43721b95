import {
  array,
  body,
  boolean,
  constant,
  essential,
  type Fields,
  maybe,
  oneOf,
  opaque,
  opaqueAs,
  open,
  optional,
  part,
  query,
  ref,
  string,
} from './describe/define.js';
import { del, get, list, post, put, room } from './describe/operation.js';
import { resourceBatchLimit } from './limits.js';

/**
 * Who has a relation to a resource besides those a warrant names; `{}` for nobody else. The keys are the wire's own,
 * because the map they stand in belongs to your schema and is passed through untouched.
 */
export interface RelationDefinition {
  /** Another relation that implies this one; `any_of` or `all_of` to combine `rules`. */
  inherit_if?: string;
  /** What `any_of` and `all_of` combine. */
  rules?: RelationDefinition[];
  /** Type of the resources over which the relation is inherited. */
  of_type?: string;
  /** Relation by which those resources are reached. */
  with_relation?: string;
  /** Types that may be the subject of a warrant. */
  allowed_types?: string[];
}

export const resourceType = body({
  /** Name of the type, `report`. */
  type: essential(string),
  /** The relations a resource of this type knows, by their names. */
  relations: opaqueAs<Record<string, RelationDefinition>>(),
});
/** A type of resource and its relations. */
export interface ResourceType extends Fields<typeof resourceType> {}

export const resourceTypeUpdate = body({
  /** The relations; they replace the present ones. */
  relations: resourceType.shape.relations,
});
/** What `updateResourceType` changes. */
export interface ResourceTypeUpdate extends Fields<typeof resourceTypeUpdate> {}

export const resource = part({
  /** Its type. */
  resourceType: essential(string),
  /** Its id in your application, unique within the type. */
  resourceId: essential(string),
  /** What you noted about it; keys are never renamed. */
  meta: maybe(opaque),
});
/** A thing that access is decided about. */
export interface Resource extends Fields<typeof resource> {}

export const resourceCreate = body({
  /** Its type. */
  resourceType: string,
  /** Its id in your application; made up by the service when left out. */
  resourceId: optional(string),
  /** What you want to note about it. */
  meta: optional(opaque),
});
/** A resource as it is created. */
export interface ResourceCreate extends Fields<typeof resourceCreate> {}

export const resourceUpdate = body({
  /** What you want to note about it; replaces what was noted. */
  meta: opaque,
});
/** What `updateResource` changes. */
export interface ResourceUpdate extends Fields<typeof resourceUpdate> {}

export const resourceFilter = query({
  /** Resources of this type. */
  resourceType: optional(string),
  /** Text in the id. */
  search: optional(string),
});
/** Which resources to list. */
export interface ResourceFilter extends Fields<typeof resourceFilter> {}

export const resourceBatchWrite = body({
  /** What happens to all of them. */
  op: oneOf('create', 'delete'),
  /** At most 100. */
  resources: array(ref<ResourceCreate>(resourceCreate), { max: resourceBatchLimit }),
});
/** Resources to create or delete at once. */
export interface ResourceBatchWrite extends Fields<typeof resourceBatchWrite> {}

export const resourceBatch = part({
  /** The resources that were written. */
  data: array(ref<Resource>(resource)),
});
/** What a batch wrote. */
export interface ResourceBatch extends Fields<typeof resourceBatch> {}

export const warrantSubject = body({
  /** Type of the subject, `user`. */
  resourceType: string,
  /** Its id in your application. */
  resourceId: string,
  /** Everybody who has this relation to the subject, `member` of a group say; left out for the subject itself. */
  relation: maybe(string),
});
/** Who has a relation. */
export interface WarrantSubject extends Fields<typeof warrantSubject> {}

export const warrant = part({
  /** Type of the resource. */
  resourceType: string,
  /** Id of the resource. */
  resourceId: string,
  /** The relation, `editor`. */
  relation: string,
  /** Who has it. */
  subject: ref<WarrantSubject>(warrantSubject),
  /** Condition on the context of a check, where there is one. */
  policy: maybe(string),
});
/** The fact that a subject has a relation to a resource. */
export interface Warrant extends Fields<typeof warrant> {}

export const warrantWrite = body({
  /** Default `create`. */
  op: optional(oneOf('create', 'delete')),
  /** Type of the resource. */
  resourceType: string,
  /** Id of the resource. */
  resourceId: string,
  /** The relation, `editor`. */
  relation: string,
  /** Who gets or loses it. */
  subject: ref<WarrantSubject>(warrantSubject),
});
/** A warrant to create or delete. */
export interface WarrantWrite extends Fields<typeof warrantWrite> {}

export const warrantToken = part({
  /** Pass it to a later read to be sure that the read knows of this write. */
  warrantToken: essential(string),
});
/** The moment after a write. */
export interface WarrantToken extends Fields<typeof warrantToken> {}

export const warrantFilter = query({
  /** Warrants on resources of this type. */
  resourceType: optional(string),
  /** Warrants on this resource. */
  resourceId: optional(string),
  /** Warrants for this relation. */
  relation: optional(string),
  /** Warrants of subjects of this type. */
  subjectType: optional(string),
  /** Warrants of this subject. */
  subjectId: optional(string),
  /** Warrants of everybody who has this relation to the subject. */
  subjectRelation: optional(string),
});
/** Which warrants to list. */
export interface WarrantFilter extends Fields<typeof warrantFilter> {}

export const warrantCheck = body({
  /** Type of the resource. */
  resourceType: string,
  /** Id of the resource. */
  resourceId: string,
  /** The relation asked about. */
  relation: string,
  /** Who is asked about. */
  subject: ref<WarrantSubject>(warrantSubject),
  /** What the policies of warrants may look at, which are outside of this package; keys are never renamed. */
  context: optional(opaque),
});
/** Whether a subject has a relation to a resource, as a question. */
export interface WarrantCheck extends Fields<typeof warrantCheck> {}

export const check = body({
  /** With several checks: whether all of them or one of them must hold. */
  op: optional(oneOf('all_of', 'any_of')),
  /** The questions. */
  checks: array(ref<WarrantCheck>(warrantCheck)),
  /** Ask how the answer came about. */
  debug: optional(boolean),
});
/** Questions that have one answer together. */
export interface Check extends Fields<typeof check> {}

export const checkBatch = body({
  ...check.shape,
  /** An answer for each check. */
  op: constant('batch'),
});
/** Questions that have an answer each. */
export interface CheckBatch extends Fields<typeof checkBatch> {}

export const checkResult = part({
  /** The answer. */
  result: essential(open<'authorized' | 'not_authorized'>()),
  /** Whether the relation follows from others instead of from a warrant of its own. */
  isImplicit: boolean,
  /** The moment that the answer is about. */
  warrantToken: string,
  /** How the answer came about, where it was asked for; keys are never renamed. */
  debugInfo: maybe(opaque),
  /** What is odd about the question; keys are never renamed. */
  warnings: maybe(array(opaque)),
});
/** The answer to a check. */
export interface CheckResult extends Fields<typeof checkResult> {}

export const warrantQuery = query({
  /** The question, `select report where user:ada is editor`. */
  q: string,
  /** What the policies of warrants may look at, which are outside of this package, as JSON. */
  context: optional(string),
});
/** A question for many answers. */
export interface WarrantQuery extends Fields<typeof warrantQuery> {}

export const warrantQueryResult = part({
  /** Type of the resource or subject found. */
  resourceType: essential(string),
  /** Its id. */
  resourceId: essential(string),
  /** The relation it has. */
  relation: string,
  /** Warrant from which that follows. */
  warrant: ref<Warrant>(warrant),
  /** Whether it follows indirectly. */
  isImplicit: boolean,
  /** What you noted about the resource; keys are never renamed. */
  meta: maybe(opaque),
});
/** One answer to a query. */
export interface WarrantQueryResult extends Fields<typeof warrantQueryResult> {}

export const fga = room('fga', 'fga', {
  getResourceType: get('/fga/v1/resource-types/:type', { returns: resourceType }),
  listResourceTypes: list('/fga/v1/resource-types', { returns: resourceType }),
  createResourceType: post('/fga/v1/resource-types', {
    body: resourceType,
    returns: resourceType,
  }),
  updateResourceType: put('/fga/v1/resource-types/:type', {
    body: resourceTypeUpdate,
    returns: resourceType,
  }),
  deleteResourceType: del('/fga/v1/resource-types/:type', {}),
  applyResourceTypes: put('/fga/v1/resource-types', {
    body: array(ref<ResourceType>(resourceType)),
    returns: array(ref<ResourceType>(resourceType)),
  }),
  listWarrants: list('/fga/v1/warrants', {
    query: warrantFilter,
    returns: warrant,
    forwardOnly: true,
  }),
  writeWarrant: post('/fga/v1/warrants', { body: warrantWrite, returns: warrantToken }),
  batchWriteWarrants: post('/fga/v1/warrants', {
    body: array(ref<WarrantWrite>(warrantWrite)),
    returns: warrantToken,
  }),
  getResource: get('/fga/v1/resources/:resource_type/:resource_id', { returns: resource }),
  listResources: list('/fga/v1/resources', { query: resourceFilter, returns: resource }),
  createResource: post('/fga/v1/resources', { body: resourceCreate, returns: resource }),
  updateResource: put('/fga/v1/resources/:resource_type/:resource_id', {
    body: resourceUpdate,
    returns: resource,
  }),
  deleteResource: del('/fga/v1/resources/:resource_type/:resource_id', {}),
  batchWriteResources: post('/fga/v1/resources/batch', {
    body: resourceBatchWrite,
    returns: resourceBatch,
  }),
  check: post('/fga/v1/check', { body: check, returns: checkResult, extension: true }),
  checkBatch: post('/fga/v1/check', {
    body: checkBatch,
    returns: array(ref<CheckResult>(checkResult)),
    extension: true,
  }),
  query: list('/fga/v1/query', { query: warrantQuery, returns: warrantQueryResult, extension: true }),
});
