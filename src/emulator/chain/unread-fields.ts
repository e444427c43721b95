import { type Codec, isObject } from '../../service/describe/codec.js';
import { type AnyModel, type Descriptor, part } from '../../service/describe/define.js';
import type { EmulatedDialect } from '../../service/describe/emulated-dialect.js';
import { descriptorOf } from '../../service/describe/operation.js';
import { fieldTreeOf } from '../http/request-body.js';
import type { RawInput, Route } from '../http/router.js';
import { listParameters } from '../http/run-operation.js';
import { EmulatorRefusal, inOneLine, oauthError } from '../store/refusal.js';
import { publicFields } from './public-fields.js';

/** List the fields and query parameters of a request on which its route does not act: `ip_address`, `event.targets[].color`. */
export function unreadFields(
  route: Route,
  codec: Codec<EmulatedDialect>,
  { body, query }: RawInput,
): ReadonlySet<string> {
  const { operation, options } = route;
  const { io, id, kind } = operation;
  const withoutEffect = publicFields[id]?.withoutEffect ?? [];
  const read = options.reads?.(codec.dialect) ?? [];
  const parameters = fieldTreeOf(query);
  for (const name of kind === 'list' ? listParameters : []) delete parameters[name];
  const found = new Set<string>();
  for (const [described = nothing, sent] of [
    [io.query, parameters],
    [io.body, body],
  ] as const) {
    for (const name of undescribed(codec, descriptorOf(described), sent, '')) if (!read.includes(name)) found.add(name);
    for (const name of withoutEffect) if (isObject(sent) && isSent(sent[name])) found.add(name);
  }
  return found;
}

const nothing: AnyModel = part({});

/** Whether a field has a value. A null says nothing that could be lost. */
const isSent = (value: unknown): boolean => value !== undefined && value !== null;

function* undescribed(codec: Codec, field: Descriptor, value: unknown, at: string): Generator<string> {
  if (field.kind === 'array' && Array.isArray(value))
    for (const item of value) yield* undescribed(codec, field.element!, item, `${at}[]`);
  if (field.kind !== 'model' || !isObject(value)) return;
  const { byWireName } = codec.plan(field.model!);
  for (const name of Object.keys(value)) {
    const path = at ? `${at}.${name}` : name;
    const plan = byWireName.get(name);
    if (plan) yield* undescribed(codec, plan.descriptor, value[name], path);
    else if (isSent(value[name])) yield path;
  }
}

/**
 * Create the 422 for a request with fields that the public service has and the emulator cannot act on; undefined if it has none.
 *
 * @param routes The routes of its path and method.
 */
export function notEmulated(
  routes: readonly Route[],
  codec: Codec<EmulatedDialect>,
  request: RawInput,
): EmulatorRefusal | undefined {
  const advice = new Map<string, string>();
  for (const route of routes) {
    const refused = publicFields[route.operation.id]?.refused;
    if (!refused) continue;
    const unread = unreadFields(route, codec, request);
    for (const [name, next] of Object.entries(refused)) if (unread.has(name)) advice.set(name, next);
  }
  if (advice.size === 0) return undefined;
  const errors = [...advice.keys()].map((field) => ({ field, code: 'not_emulated', message: 'is not emulated' }));
  const message = inOneLine(
    [...advice].map(
      ([field, next]) => `${field} is not emulated, and leaving it out could change later answers. ${next}`,
    ),
  );
  return routes.some(({ operation }) => operation.io.auth === 'client_secret')
    ? oauthError(422, 'not_emulated', message, { errors })
    : new EmulatorRefusal(422, 'not_emulated', message, { errors });
}
