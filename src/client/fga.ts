import type {
  CheckResult,
  Resource,
  ResourceBatch,
  ResourceFilter,
  ResourceType,
  Warrant,
  WarrantFilter,
  WarrantQueryResult,
  WarrantToken,
} from '../service/fga.js';
import type { Call } from '../transport/call.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import { isGiven, type ListOptions, type ListParams, type RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import {
  afterWrite,
  type CheckInput,
  checkOf,
  each,
  idOf,
  type NewResource,
  newResourceOf,
  type ResourceBatchInput,
  type ResourceId,
  type WarrantReadOptions,
  type WarrantWriteInput,
  writeOf,
} from './fga-input.js';
import { fgaRoom } from './operations.js';

const api = fgaRoom('fga');

/** Tell whether the answer to a check is yes. */
export const isAuthorized = (answer: Pick<CheckResult, 'result'>): boolean => answer.result === 'authorized';

/** Fine-grained authorization: who may do what with which resource. */
export class Fga extends Namespace {
  /**
   * Get a resource type and its relations by its name.
   *
   * @throws {NotFoundError} No type has this name.
   */
  getResourceType(type: string, options?: RequestOptions): Call<ResourceType> {
    return this.send(api('getResourceType'), { params: { type } }, options);
  }

  /** List the resource types. Await the result for one page; iterate over it for all of them. */
  listResourceTypes(params: ListParams = {}, options?: ListOptions): PagePromise<ResourceType> {
    return this.pages(api('listResourceTypes'), { query: params }, options);
  }

  /**
   * Create a resource type. The definitions of its relations use the service's own spelling, `inherit_if` and
   * `of_type`.
   *
   * @throws {ConflictError} A type has this name already.
   * @throws {UnprocessableError} The definition of a relation is malformed.
   * @example
   * await sallyport.fga.createResourceType({
   *   type: 'report',
   *   relations: { owner: {}, editor: { inherit_if: 'owner' } },
   * });
   */
  createResourceType(payload: ResourceType, options?: RequestOptions): Call<ResourceType> {
    return this.send(api('createResourceType'), { body: payload }, options);
  }

  /**
   * Change a resource type. The relations you pass replace the ones it has.
   *
   * @throws {NotFoundError} No type has this name.
   * @throws {UnprocessableError} The definition of a relation is malformed.
   */
  updateResourceType(payload: ResourceType, options?: RequestOptions): Call<ResourceType> {
    const { type, ...body } = orEmpty(payload);
    return this.send(api('updateResourceType'), { params: { type }, body }, options);
  }

  /**
   * Delete a resource type.
   *
   * @throws {NotFoundError} No type has this name.
   */
  deleteResourceType(type: string, options?: RequestOptions): Call<void> {
    return this.send(api('deleteResourceType'), { params: { type } }, options);
  }

  /**
   * Replace all resource types of the environment. A type that you leave out is deleted.
   *
   * @throws {UnprocessableError} The definition of a relation is malformed, or a type is named twice.
   */
  applyResourceTypes(resourceTypes: readonly ResourceType[], options?: RequestOptions): Call<ResourceType[]> {
    return this.send(api('applyResourceTypes'), { body: each(resourceTypes, (type) => type) }, options);
  }

  /**
   * List warrants. Await the result for one page; iterate over it for all of them. The list only goes forward.
   *
   * @throws {UnprocessableError} The `warrantToken` does not come from a write.
   * @example
   * for await (const warrant of sallyport.fga.listWarrants({ resourceType: 'report', resourceId: '7' }))
   *   console.log(warrant.relation, warrant.subject.resourceId);
   */
  listWarrants(
    params: WarrantFilter & Pick<ListParams, 'limit' | 'after'> = {},
    options?: WarrantReadOptions,
  ): PagePromise<Warrant> {
    return this.pages(api('listWarrants'), { query: params }, afterWrite(options));
  }

  /**
   * Create a warrant, or delete one with `op: 'delete'`. Pass the `warrantToken` of the answer to a later read to be
   * sure that the read sees this write.
   *
   * @throws {NotFoundError} The warrant to delete does not exist.
   * @throws {UnprocessableError} The resource type or the relation does not exist.
   * @example
   * const { warrantToken } = await sallyport.fga.writeWarrant({
   *   resource: { resourceType: 'report', resourceId: '7' },
   *   relation: 'editor',
   *   subject: { resourceType: 'user', resourceId: 'ada' },
   * });
   */
  writeWarrant(payload: WarrantWriteInput, options?: RequestOptions): Call<WarrantToken> {
    return this.send(api('writeWarrant'), { body: writeOf(orEmpty(payload)) }, options);
  }

  /**
   * Create and delete several warrants at once: all of them, or none.
   *
   * @throws {NotFoundError} A warrant to delete does not exist.
   * @throws {UnprocessableError} A resource type or a relation does not exist.
   */
  batchWriteWarrants(writes: readonly WarrantWriteInput[], options?: RequestOptions): Call<WarrantToken> {
    return this.send(api('batchWriteWarrants'), { body: each(writes, writeOf) }, options);
  }

  /**
   * Get a resource with its `meta`.
   *
   * @throws {NotFoundError} The resource does not exist.
   */
  getResource(resource: ResourceId, options?: RequestOptions): Call<Resource> {
    return this.send(api('getResource'), { params: idOf(resource) }, options);
  }

  /** List resources. Await the result for one page; iterate over it for all of them. */
  listResources(params: ResourceFilter & ListParams = {}, options?: ListOptions): PagePromise<Resource> {
    return this.pages(api('listResources'), { query: params }, options);
  }

  /**
   * Create a resource. If you leave out its id, the service chooses one.
   *
   * @throws {ConflictError} The resource exists already.
   * @throws {UnprocessableError} The resource type does not exist.
   */
  createResource(payload: NewResource, options?: RequestOptions): Call<Resource> {
    return this.send(api('createResource'), { body: newResourceOf(orEmpty(payload)) }, options);
  }

  /**
   * Change a resource. The `meta` you pass replaces what it has.
   *
   * @throws {NotFoundError} The resource does not exist.
   */
  updateResource(
    payload: {
      /** The resource to change. */
      readonly resource: ResourceId;
      /** What you want to note about it; keys are never renamed. */
      readonly meta: Record<string, unknown>;
    },
    options?: RequestOptions,
  ): Call<Resource> {
    const { resource, meta } = orEmpty(payload);
    return this.send(api('updateResource'), { params: idOf(resource), body: { meta } }, options);
  }

  /**
   * Delete a resource, and every warrant in which it is the resource or the subject.
   *
   * @throws {NotFoundError} The resource does not exist.
   */
  deleteResource(resource: ResourceId, options?: RequestOptions): Call<void> {
    return this.send(api('deleteResource'), { params: idOf(resource) }, options);
  }

  /**
   * Create or delete up to 100 resources at once: all of them, or none.
   *
   * @throws {InvalidArgumentError} There are more than 100.
   * @throws {NotFoundError} A resource to delete does not exist.
   * @throws {ConflictError} A resource to create exists already, or is named twice.
   * @throws {UnprocessableError} A resource type does not exist.
   */
  batchWriteResources(payload: ResourceBatchInput, options?: RequestOptions): Call<ResourceBatch> {
    const batch = orEmpty(payload);
    const resources = batch.op === 'delete' ? each(batch.resources, idOf) : each(batch.resources, newResourceOf);
    return this.send(api('batchWriteResources'), { body: { op: batch.op, resources } }, options);
  }

  /**
   * Check whether a subject has a relation to a resource. With several checks and `op: 'all_of'` the answer is yes if
   * all of them hold, with `any_of` if one does.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {UnprocessableError} A resource type or a relation does not exist.
   * @example
   * const answer = await sallyport.fga.check({
   *   checks: [
   *     {
   *       resource: { resourceType: 'report', resourceId: '7' },
   *       relation: 'editor',
   *       subject: { resourceType: 'user', resourceId: 'ada' },
   *     },
   *   ],
   * });
   * if (!isAuthorized(answer)) throw new Error('Not your report');
   */
  check(
    payload: {
      /** With several checks: whether all of them or one of them must hold. */
      readonly op?: 'all_of' | 'any_of' | undefined;
      /** The questions. */
      readonly checks: readonly CheckInput[];
      /** Ask how the answer came about. */
      readonly debug?: boolean | undefined;
    },
    options?: WarrantReadOptions,
  ): Call<CheckResult> {
    const { checks, ...rest } = orEmpty(payload);
    return this.send(api('check'), { body: { ...rest, checks: each(checks, checkOf) } }, afterWrite(options));
  }

  /**
   * Check several relations at once, with an answer for each, in the order of the checks.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {UnprocessableError} A resource type or a relation does not exist.
   */
  checkBatch(
    payload: {
      /** The questions. */
      readonly checks: readonly CheckInput[];
      /** Ask how the answers came about. */
      readonly debug?: boolean | undefined;
    },
    options?: WarrantReadOptions,
  ): Call<CheckResult[]> {
    const { checks, ...rest } = orEmpty(payload);
    const body = { ...rest, op: 'batch' as const, checks: each(checks, checkOf) };
    return this.send(api('checkBatch'), { body }, afterWrite(options));
  }

  /**
   * Find everything that a subject has a relation to, or everybody who has a relation to a resource. Await the result
   * for one page; iterate over it for all of them.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {UnprocessableError} The question is malformed, or names a type or relation that does not exist.
   * @example
   * for await (const found of sallyport.fga.query({ q: 'select report where user:ada is editor' }))
   *   console.log(found.resourceId, found.isImplicit);
   */
  query(
    params: {
      /** The question, `select report where user:ada is editor`. */
      readonly q: string;
      /**
       * What the policies of warrants may look at; keys are never renamed. Policies themselves are outside of this package:
       * it writes no warrant that has one, and the emulator refuses them and answers as without a context.
       */
      readonly context?: Record<string, unknown> | null | undefined;
    } & ListParams,
    options?: WarrantReadOptions,
  ): PagePromise<WarrantQueryResult> {
    const { context, ...rest } = orEmpty(params);
    const query = !isGiven(context) ? rest : { ...rest, context: JSON.stringify(context) };
    return this.pages(api('query'), { query }, afterWrite(options));
  }
}
