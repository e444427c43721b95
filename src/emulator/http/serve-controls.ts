import { descriptorOf, type Operation, paramNamesOf } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import type { Raw } from '../store/parser.js';
import { type RequestProblem, unprocessable, unprocessableField } from '../store/refusal.js';
import { dashboard } from '../world/actor.js';
import type { Memory } from '../world/memory.js';
import type { World } from '../world/world.js';
import {
  type Control,
  type ControlContext,
  type ControlSet,
  type Methods,
  namedControlsOf,
  parametersOf,
} from './control.js';
import { nestedByName } from './nested.js';
import type { Exchange, RouteOptions, Router } from './router.js';
import { read } from './run-operation.js';

/** Serve controls over HTTP. */
export function serveControls(router: Router, controls: ControlSet, options: RouteOptions = {}): void {
  for (const { control, operation } of namedControlsOf(controls)) {
    const handler = ({ memory, world, worlds, params, query, body, request }: Exchange): unknown => {
      const pathValues = paramNamesOf(operation).map(({ name }) => params[name as never] as string);
      const payload = operation.io.body ? body : operation.io.query ? query : undefined;
      const result = runControl(control, { memory, world, worlds, signal: request.signal }, pathValues, payload);
      return control.answer ? Promise.resolve(result).then((value) => control.answer!(value as never)) : result;
    };
    router.control(operation, handler, { ...options, isStrict: true, maxBytes: control.maxBytes });
  }
}

/**
 * Return a function that creates the in-process methods of controls for a world. A call acts on the memory that the world has at
 * that time.
 */
export function methodsOf<C extends ControlSet>(controls: C): (world: () => World) => Methods<C> {
  const named = namedControlsOf(controls);
  return (world) =>
    // The compiler cannot see that nestedByName keeps the names.
    nestedByName(
      named.map(({ name, control, operation }) => [name, methodOf(control, operation, world)]),
    ) as Methods<C>;
}

function methodOf(control: Control, operation: Operation, worldNow: () => World) {
  const call = (values: readonly unknown[]): { readonly memory: Memory; readonly result: unknown } => {
    const world = worldNow();
    const memory = world.memory.as(dashboard);
    const names = parametersOf(operation.path);
    const pathValues = values.slice(0, names.length);
    for (const [at, name] of names.entries())
      if (typeof pathValues[at] !== 'string') throw unprocessableField(name, 'invalid_type', 'must be a string');
    return {
      memory,
      result: runControl(control, { memory, world }, pathValues, payloadOf(memory, control, operation, values)),
    };
  };
  if (control.isSync)
    return (...values: unknown[]): unknown => {
      const { memory, result } = call(values);
      return clientValue(memory, operation, result);
    };
  return async (...values: unknown[]): Promise<unknown> => {
    const { memory, result } = call(values);
    return clientValue(memory, operation, await result);
  };
}

/** Read the body or query of an in-process call like that of an HTTP request. @throws {EmulatorRefusal} 422. */
function payloadOf(memory: Memory, { positional }: Control, operation: Operation, values: readonly unknown[]): unknown {
  const { io, path } = operation;
  const description = io.body ?? io.query;
  if (!description) return undefined;
  const rest = values.slice(parametersOf(path).length);
  const payload = positional ? Object.fromEntries(positional.map((name, at) => [name, rest[at]])) : rest[0];
  const value = overTheWire(memory.codec.encode(descriptorOf(description), payload));
  return readPayload(memory, operation, { value, texts: false });
}

/** Read the body or query of a control, with camelCase names. Returns undefined if it takes none. @throws {EmulatorRefusal} 422. */
export function readPayload({ parser }: Pick<Memory, 'parser'>, { io }: Operation, raw: Raw): unknown {
  if (!io.body && !io.query) return undefined;
  const errors: RequestProblem[] = [];
  // In-process callers may pass null for an absent filter.
  const query = Object.fromEntries(Object.entries(raw.value ?? {}).filter(([, one]) => one !== null));
  const { query: filter, body } = read(parser.strict, { io }, { query, raw }, errors);
  if (errors.length > 0) throw unprocessable(errors);
  return io.body ? body : filter;
}

/** Run a control with its path parameters and the result of `readPayload`. */
export function runControl(
  control: Control,
  context: ControlContext,
  pathValues: readonly unknown[],
  payload: unknown,
): unknown {
  const rest = control.positional
    ? control.positional.map((name) => (payload as Readonly<Record<string, unknown>>)[name])
    : payload === undefined
      ? []
      : [payload];
  // The values match the description, and so do the parameter types of `run`.
  const run = control.run as (context: ControlContext, ...values: unknown[]) => unknown;
  return run(context, ...pathValues, ...rest);
}

/** Convert a result to the value that a client would get: a copy with only the described fields. */
function clientValue(memory: Memory, { io, kind }: Operation, result: unknown): unknown {
  if (kind === 'nothing' || result === null || io.returns === undefined) return undefined;
  const descriptor = descriptorOf(io.returns);
  const one = (item: unknown): unknown =>
    memory.codec.decode(descriptor, overTheWire(project(memory.codec, descriptor, item)));
  return kind === 'data' ? (result as readonly unknown[]).map(one) : one(result);
}

const overTheWire = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
