import {
  type AuditLogAction,
  type AuditLogSchemaActor,
  type AuditLogSchemaCreate,
  type AuditLogSchemaTarget,
  auditLogSchemaActor,
  auditLogSchemaTarget,
} from '../../../service/audit-logs.js';
import { array, integer, maybe, opaque, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { notFound, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { Stored, View } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';
import { compileSchema, type SchemaCheck } from './json-schema.js';

const auditSchemaRecord = part({
  id: string,
  action: string,
  version: integer,
  actor: maybe(ref<AuditLogSchemaActor>(auditLogSchemaActor)),
  targets: array(ref<AuditLogSchemaTarget>(auditLogSchemaTarget)),
  metadata: maybe(opaque),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A version of an action's schema, as the emulator stores it. */
interface AuditSchemaRecord extends Stored<typeof auditSchemaRecord> {}

const auditActionRecord = part({
  /** Name of the action. */
  id: string,
  latestSchema: string,
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** An audit log action, as the emulator stores it. */
interface AuditActionRecord extends Stored<typeof auditActionRecord> {}

/** The actions that have a schema. */
export const auditActions = collection<AuditActionRecord>({
  object: 'audit log action',
  prefix: 'audit_log_action',
  record: ref(auditActionRecord),
});

/** All versions of the schemas of all actions. */
export const auditSchemas = collection<AuditSchemaRecord>({
  object: 'audit log schema',
  prefix: 'audit_log_schema',
  index: ['action'],
  record: ref(auditSchemaRecord),
});

/** The compiled schema: one check for each part of an event. */
export interface SchemaChecks {
  readonly actor: SchemaCheck;
  readonly targets: ReadonlyMap<string, SchemaCheck>;
  readonly metadata: SchemaCheck;
}

const noCheck: SchemaCheck = () => [];

const checks = new WeakMap<AuditSchemaRecord, SchemaChecks>();

/** Return the checks of a schema. A schema restored from saved state is compiled first. */
export async function checksOf(schema: AuditSchemaRecord): Promise<SchemaChecks> {
  const compiled = checks.get(schema) ?? (await compileChecks(schema, []));
  checks.set(schema, compiled);
  return compiled;
}

/** Maximum length of an action's schemas as JSON, in characters. Compiling that many takes about a second. */
const maxLength = 32_768;

/** Compile the checks of a schema. Adds its problems to `errors`. */
async function compileChecks(
  { actor, targets, metadata }: AuditLogSchemaCreate | AuditSchemaRecord,
  errors: RequestProblem[],
): Promise<SchemaChecks> {
  const compile = async (schema: Record<string, unknown> | null | undefined, field: string): Promise<SchemaCheck> => {
    const check = schema ? await compileSchema(schema) : noCheck;
    if (typeof check !== 'string') return check;
    errors.push({ field, code: 'invalid_json_schema', message: check });
    return noCheck;
  };
  const { length } = JSON.stringify([actor, targets, metadata]);
  if (length > maxLength) {
    const message = `The schemas of an action must have at most ${maxLength} characters as JSON, not ${length}`;
    errors.push({ field: '', code: 'out_of_range', message });
    return { actor: noCheck, targets: new Map(), metadata: noCheck };
  }
  const actorCheck = await compile(actor?.metadata, 'actor.metadata');
  const byType = new Map<string, SchemaCheck>();
  for (const [at, { type, metadata }] of targets.entries()) {
    if (byType.has(type))
      errors.push({ field: `targets.${at}.type`, code: 'duplicate_value', message: 'must not repeat a type' });
    byType.set(type, await compile(metadata, `targets.${at}.metadata`));
  }
  return { actor: actorCheck, targets: byType, metadata: await compile(metadata, 'metadata') };
}

/** Find a version of an action's schema, by default the latest. */
export function auditSchemaOf(memory: Memory, action: string, version?: number): AuditSchemaRecord | undefined {
  const latest = memory.of(auditActions).find(action)?.latestSchema;
  if (latest === undefined) return undefined;
  if (version === undefined) return memory.of(auditSchemas).get(latest);
  return memory
    .of(auditSchemas)
    .where('action', action)
    .find((schema) => schema.version === version);
}

/** Convert an action and its latest schema to the API format. */
export const auditActionView = (memory: Memory, action: AuditActionRecord): View<AuditLogAction> => ({
  name: action.id,
  schema: memory.of(auditSchemas).get(action.latestSchema),
  createdAt: action.createdAt,
  updatedAt: action.updatedAt,
});

/** Return the name if the action exists. @throws {EmulatorRefusal} 404. */
export function requireAction(memory: Memory, name: string): string {
  if (!memory.of(auditActions).find(name)) throw notFound('audit log action', name, 'name');
  return name;
}

/**
 * Create a new version of an action's schema, and the action if it does not exist.
 *
 * @throws {EmulatorRefusal} 422 for an invalid JSON schema.
 */
export async function createAuditSchema(
  memory: Memory,
  action: string,
  body: AuditLogSchemaCreate,
): Promise<AuditSchemaRecord> {
  const errors: RequestProblem[] = [];
  const compiled = await compileChecks(body, errors);
  if (errors.length > 0) throw unprocessable(errors);

  const actions = memory.of(auditActions);
  const before = actions.find(action);
  const schema = memory.of(auditSchemas).insert({
    action,
    version: (auditSchemaOf(memory, action)?.version ?? 0) + 1,
    // The specification always includes the actor; the public service omits it if it was not given.
    ...(body.actor || !memory.settings.dialect.nullForAbsent ? { actor: body.actor ?? {} } : {}),
    targets: [...body.targets],
    ...(body.metadata ? { metadata: body.metadata } : {}),
  });
  checks.set(schema, compiled);
  if (before) actions.update(action, { latestSchema: schema.id });
  else actions.insert({ id: action, latestSchema: schema.id });
  return schema;
}
