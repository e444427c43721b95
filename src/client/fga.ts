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
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { isGiven } from '../transport/request/url.js';
import {
  afterWrite,
  type CheckInput,
  checkOf,
  each,
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

/** Check whether the result of a check is `authorized`. */
export const isAuthorized = (answer: Pick<CheckResult, 'result'>): boolean => answer.result === 'authorized';

/**
 * Fine-grained authorization: relations between subjects and resources. It needs the dialect `spec`, because the public service has another
 * API for it.
 */
export class Fga extends Namespace {
  /**
   * Get a resource type and its relations by its name.
   *
   * @throws {NotFoundError} No type has this name.
   */
  getResourceType(type: string, options?: RequestOptions): Call<ResourceType> {
    return this.send(api('getResourceType'), { params: { type } }, options);
  }

  /** List the resource types. Await the result for one page, or iterate over it to get all items. */
  listResourceTypes(params: ListParams = {}, options?: ListOptions): PagePromise<ResourceType> {
    return this.pages(api('listResourceTypes'), { query: params }, options);
  }

  /**
   * Create a resource type. The definitions of its relations use the wire names, such as `inherit_if` and `of_type`.
   *
   * @throws {ConflictError} A type with this name already exists.
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
   * Update a resource type. The relations you pass replace the existing ones.
   *
   * @throws {NotFoundError} No type has this name.
   * @throws {UnprocessableError} The definition of a relation is malformed.
   */
  updateResourceType(payload: ResourceType, options?: RequestOptions): Call<ResourceType> {
    return this.sendObject(api('updateResourceType'), payload, options);
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
   * Replace all resource types of the environment. Types that you omit are deleted.
   *
   * @throws {UnprocessableError} The definition of a relation is malformed, or a type is listed twice.
   */
  applyResourceTypes(resourceTypes: readonly ResourceType[], options?: RequestOptions): Call<ResourceType[]> {
    return this.send(api('applyResourceTypes'), { body: each(resourceTypes, (type) => type) }, options);
  }

  /**
   * List warrants. Await the result for one page, or iterate over it to get all items. Pagination only works forward.
   *
   * @throws {UnprocessableError} The `warrantToken` is not from a write.
   * @example
   * for await (const warrant of sallyport.fga.listWarrants({ resourceType: 'report', resourceId: '7' }))
   *   console.log(warrant.relation, warrant.subject.resourceId);
   */
  listWarrants(
    params: WarrantFilter & Pick<ListParams, 'limit' | 'after'> = {},
    options?: WarrantReadOptions,
  ): PagePromise<Warrant> {
    const { headers, options: rest } = afterWrite(options);
    return this.pages(api('listWarrants'), { query: params, headers }, rest);
  }

  /**
   * Create a warrant, or delete one with `op: 'delete'`. Pass the returned `warrantToken` to a later read, so that it
   * includes this write.
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
   * Create and delete several warrants in one atomic request.
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
    return this.sendObject(api('getResource'), resource, options);
  }

  /** List resources. Await the result for one page, or iterate over it to get all items. */
  listResources(params: ResourceFilter & ListParams = {}, options?: ListOptions): PagePromise<Resource> {
    return this.pages(api('listResources'), { query: params }, options);
  }

  /**
   * Create a resource. If you omit its id, the service generates one.
   *
   * @throws {ConflictError} The resource already exists.
   * @throws {UnprocessableError} The resource type does not exist.
   */
  createResource(payload: NewResource, options?: RequestOptions): Call<Resource> {
    return this.send(api('createResource'), { body: newResourceOf(orEmpty(payload)) }, options);
  }

  /**
   * Update a resource. The `meta` you pass replaces the existing one.
   *
   * @throws {NotFoundError} The resource does not exist.
   */
  updateResource(
    payload: {
      /** Resource to update. */
      readonly resource: ResourceId;
      /** Your metadata; keys are never renamed. */
      readonly meta: Record<string, unknown>;
    },
    options?: RequestOptions,
  ): Call<Resource> {
    return this.sendObject(api('updateResource'), payload, options);
  }

  /**
   * Delete a resource, and every warrant that has it as resource or subject.
   *
   * @throws {NotFoundError} The resource does not exist.
   */
  deleteResource(resource: ResourceId, options?: RequestOptions): Call<void> {
    return this.sendObject(api('deleteResource'), resource, options);
  }

  /**
   * Create or delete up to 100 resources in one atomic request.
   *
   * @throws {InvalidArgumentError} There are more than 100 resources.
   * @throws {NotFoundError} A resource to delete does not exist.
   * @throws {ConflictError} A resource to create already exists, or is listed twice.
   * @throws {UnprocessableError} A resource type does not exist.
   */
  batchWriteResources(payload: ResourceBatchInput, options?: RequestOptions): Call<ResourceBatch> {
    const batch = orEmpty(payload);
    const resources = batch.op === 'delete' ? batch.resources : each(batch.resources, newResourceOf);
    return this.send(api('batchWriteResources'), { body: { ...batch, resources } }, options);
  }

  /**
   * Check whether a subject has a relation to a resource. If there are several checks, `op: 'all_of'` requires all of
   * them to pass, and `any_of` requires one.
   *
   * Some deployments of the service do not offer this.
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
      /** Whether all checks must pass, or any one of them. */
      readonly op?: 'all_of' | 'any_of' | undefined;
      /** Checks to evaluate. */
      readonly checks: readonly CheckInput[];
      /** Whether to explain the result in `debugInfo`. */
      readonly debug?: boolean | undefined;
    },
    options?: WarrantReadOptions,
  ): Call<CheckResult> {
    const { checks, ...fields } = orEmpty(payload);
    const { headers, options: rest } = afterWrite(options);
    return this.send(api('check'), { body: { ...fields, checks: each(checks, checkOf) }, headers }, rest);
  }

  /**
   * Check several relations in one request. Returns one result per check, in the same order.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {UnprocessableError} A resource type or a relation does not exist.
   */
  checkBatch(
    payload: {
      /** Checks to evaluate. */
      readonly checks: readonly CheckInput[];
      /** Whether to explain the results in `debugInfo`. */
      readonly debug?: boolean | undefined;
    },
    options?: WarrantReadOptions,
  ): Call<CheckResult[]> {
    const { checks, ...fields } = orEmpty(payload);
    const { headers, options: rest } = afterWrite(options);
    const body = { ...fields, op: 'batch' as const, checks: each(checks, checkOf) };
    return this.send(api('checkBatch'), { body, headers }, rest);
  }

  /**
   * Find the resources that a subject has a relation to, or the subjects that have a relation to a resource. Await the
   * result for one page, or iterate over it to get all items.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {UnprocessableError} The query is malformed, or names a type or relation that does not exist.
   * @example
   * for await (const found of sallyport.fga.query({ q: 'select report where user:ada is editor' }))
   *   console.log(found.resourceId, found.isImplicit);
   */
  query(
    params: {
      /** Query, such as `select report where user:ada is editor`. */
      readonly q: string;
      /**
       * Context for warrant policies; keys are never renamed. This package does not write policies, and the emulator
       * rejects them and ignores the context.
       */
      readonly context?: Record<string, unknown> | null | undefined;
    } & ListParams,
    options?: WarrantReadOptions,
  ): PagePromise<WarrantQueryResult> {
    const { context, ...fields } = orEmpty(params);
    const { headers, options: rest } = afterWrite(options);
    const query = !isGiven(context) ? fields : { ...fields, context: JSON.stringify(context) };
    return this.pages(api('query'), { query, headers }, rest);
  }
}
