import type {
  AuditLogAction,
  AuditLogEvent,
  AuditLogExport,
  AuditLogExportCreate,
  AuditLogSchema,
  AuditLogSchemaCreate,
} from '../service/audit-logs.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { auditLogRoom } from './operations.js';

const api = auditLogRoom('auditLogs');

/** Parameters of `createEvent`: the action to record. */
export interface AuditLogEventInput extends Omit<AuditLogEvent, 'occurredAt'> {
  /** Time of the action; a Date, or ISO 8601 in UTC. */
  readonly occurredAt: Date | string;
}

/** Parameters of `createExport`: the audit events to export. */
export interface AuditLogExportInput extends Omit<AuditLogExportCreate, 'rangeStart' | 'rangeEnd'> {
  /** Start of the range; a Date, or ISO 8601 in UTC. */
  readonly rangeStart: Date | string;
  /** End of the range; a Date, or ISO 8601 in UTC. */
  readonly rangeEnd: Date | string;
}

/** Audit logs: a record of actions in your application, for the organization to read. */
export class AuditLogs extends Namespace {
  /**
   * Add an event to an organization's audit log.
   *
   * The metadata of the event, its actor and its targets may have up to 50 keys of up to 40 characters, with values of
   * up to 500 characters. Larger metadata is rejected before it is sent. Each call has its own idempotency key, so a
   * retry logs once if the service honors the key. Pass `idempotencyKey` if your own code may repeat the call.
   *
   * @throws {InvalidArgumentError} `occurredAt` is an invalid Date, or metadata is out of bounds.
   * @throws {NotFoundError} No organization has this id.
   * @throws {BadRequestError} The event does not match the schema of its action.
   * @example
   * await sallyport.auditLogs.createEvent(acme.id, {
   *   action: 'invoice.viewed',
   *   occurredAt: new Date(),
   *   actor: { type: 'user', id: user.id },
   *   targets: [{ type: 'invoice', id: 'inv_42' }],
   *   context: { location: '203.0.113.7' },
   * });
   */
  createEvent(organizationId: string, event: AuditLogEventInput, options?: RequestOptions): Call<void> {
    const { occurredAt, ...rest } = orEmpty(event);
    const body = { organizationId, event: { ...rest, occurredAt: timestampOf(occurredAt) } };
    return this.send(api('createEvent'), { body }, options);
  }

  /**
   * Create a new version of an action's schema, and the action if it does not exist yet. Events of this action must
   * match the schema from then on.
   *
   * @throws {UnprocessableError} A schema is not a valid JSON schema, or a target type is listed twice.
   * @example
   * await sallyport.auditLogs.createSchema({
   *   action: 'invoice.viewed',
   *   targets: [{ type: 'invoice' }],
   *   metadata: { type: 'object', properties: { amount: { type: 'number' } } },
   * });
   */
  createSchema(
    payload: AuditLogSchemaCreate & {
      /** Name of the action, such as `invoice.viewed`. */
      readonly action: string;
    },
    options?: RequestOptions,
  ): Call<AuditLogSchema> {
    return this.sendObject(api('createSchema'), payload, options);
  }

  /**
   * List the schemas of an action, newest first. Await the result for one page, or iterate over it to get all items.
   *
   * @throws {NotFoundError} No action has this name.
   */
  listSchemas(action: string, params: ListParams = {}, options?: ListOptions): PagePromise<AuditLogSchema> {
    return this.pages(api('listSchemas'), { params: { name: action }, query: params }, options);
  }

  /** List the actions that have a schema, newest first. Await the result for one page, or iterate over it to get all items. */
  listActions(params: ListParams = {}, options?: ListOptions): PagePromise<AuditLogAction> {
    return this.pages(api('listActions'), { query: params }, options);
  }

  /**
   * Start an export of an organization's audit events. Call `getExport` until its state is `ready`; it then has the URL
   * of a CSV file.
   *
   * @throws {InvalidArgumentError} `rangeStart` or `rangeEnd` is an invalid Date.
   * @throws {NotFoundError} No organization has this id.
   * @throws {UnprocessableError} The range ends before it starts.
   * @example
   * const { id } = await sallyport.auditLogs.createExport({
   *   organizationId: acme.id,
   *   rangeStart: new Date('2026-01-01'),
   *   rangeEnd: new Date('2026-02-01'),
   * });
   */
  createExport(payload: AuditLogExportInput, options?: RequestOptions): Call<AuditLogExport> {
    const { rangeStart, rangeEnd, ...rest } = orEmpty(payload);
    const body = { ...rest, rangeStart: timestampOf(rangeStart), rangeEnd: timestampOf(rangeEnd) };
    return this.send(api('createExport'), { body }, options);
  }

  /**
   * Get an export and, once it is `ready`, the URL of its CSV file. The URL works for 10 minutes; each call returns a
   * fresh one.
   *
   * @throws {NotFoundError} No export has this id.
   */
  getExport(id: string, options?: RequestOptions): Call<AuditLogExport> {
    return this.send(api('getExport'), { params: { id } }, options);
  }
}

/** Convert a Date to ISO 8601 in UTC with milliseconds. An invalid one becomes null, which is refused. */
const timestampOf = (time: Date | string): string => (time instanceof Date ? time.toJSON() : time);
