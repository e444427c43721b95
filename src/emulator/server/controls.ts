import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { dashboard } from '../world/actor.js';
import type { Raw } from '../world/parser.js';
import { type RequestProblem, unprocessable } from '../world/refusal.js';
import type { World } from '../world/world.js';
import {
  type Control,
  type ControlSet,
  type Methods,
  namedControlsOf,
  parametersOf,
  type Situation,
} from './control.js';
import { read } from './exchange.js';
import { nestedByName } from './nested.js';
import type { Exchange, RouteOptions, Router } from './router.js';

/** Serve controls over HTTP. */
export function serveControls(router: Router, controls: ControlSet, options: RouteOptions = {}): void {
  for (const { control, operation } of namedControlsOf(controls)) {
    const handler = ({ world, params, query, body, request }: Exchange): unknown => {
      const pathValues = parametersOf(operation.path).map((name) => params[camelCase(name) as never] as string);
      const payload = operation.io.body ? body : operation.io.query ? query : undefined;
      const result = carryOut(control, { world, signal: request.signal }, pathValues, payload);
      // It is given what the control comes to.
      return control.answer ? Promise.resolve(result).then((value) => control.answer!(value as never)) : result;
    };
    router.control(operation, handler, { ...options, mostBytes: control.mostBytes });
  }
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The same controls as methods, on whatever world there is when they are called. */
export function methodsOf<C extends ControlSet>(controls: C, world: () => World): Methods<C> {
  const named = namedControlsOf(controls);
  const methods = nestedByName(
    named.map(({ name, control, operation }) => [name, methodOf(control, operation, world)]),
  );
  // Every control has its method under its name; the compiler cannot see that.
  return methods as Methods<C>;
}

function methodOf(control: Control, operation: Operation, worldNow: () => World) {
  const call = (values: readonly unknown[]): { readonly world: World; readonly result: unknown } => {
    const world = worldNow().by(dashboard);
    const pathValues = values.slice(0, parametersOf(operation.path).length);
    return { world, result: carryOut(control, { world }, pathValues, payloadOf(world, control, operation, values)) };
  };
  if (control.isLookup)
    return (...values: unknown[]): unknown => {
      const { world, result } = call(values);
      return clientValue(world, operation, result);
    };
  return async (...values: unknown[]): Promise<unknown> => {
    const { world, result } = call(values);
    return clientValue(world, operation, await result);
  };
}

/** Body or query of a call in process, read as if it had come over HTTP. @throws {Refusal} 422. */
function payloadOf(world: World, { spread }: Control, operation: Operation, values: readonly unknown[]): unknown {
  const { io, path } = operation;
  const description = io.body ?? io.query;
  if (!description) return undefined;
  const rest = values.slice(parametersOf(path).length);
  const payload = spread ? Object.fromEntries(spread.map((name, at) => [name, rest[at]])) : rest[0];
  const value = overTheWire(world.codec.encode(descriptorOf(description), payload));
  return readPayload(world, operation, { value, texts: false });
}

/** Body or query of a control in callers' names; undefined where it takes none. @throws {Refusal} 422. */
export function readPayload(world: World, { io, path }: Operation, raw: Raw): unknown {
  if (!io.body && !io.query) return undefined;
  const errors: RequestProblem[] = [];
  // A call in process leaves a query out by null as by undefined.
  const query = Object.fromEntries(Object.entries(raw.value ?? {}).filter(([, one]) => one !== null));
  const { query: filter, body } = read(world, { io, path }, { query, raw }, errors);
  if (errors.length > 0) throw unprocessable(errors);
  return io.body ? body : filter;
}

/** Carry out a control with what stands in its path and what `readPayload` gives. */
export function carryOut(
  control: Control,
  situation: Situation,
  pathValues: readonly unknown[],
  payload: unknown,
): unknown {
  const rest = control.spread
    ? control.spread.map((name) => (payload as Readonly<Record<string, unknown>>)[name])
    : payload === undefined
      ? []
      : [payload];
  // The function takes what its description describes.
  const carrier = control.carryOut as (situation: Situation, ...values: unknown[]) => unknown;
  return carrier(situation, ...pathValues, ...rest);
}

/** What a client would read from the answer: nothing but what is described, and nothing that the emulator goes on to use. */
function clientValue(world: World, { io, kind }: Operation, result: unknown): unknown {
  if (kind === 'nothing' || result === null || io.returns === undefined) return undefined;
  const descriptor = descriptorOf(io.returns);
  const one = (item: unknown): unknown =>
    world.codec.decode(descriptor, overTheWire(project(world.codec, descriptor, item)));
  return kind === 'data' ? (result as readonly unknown[]).map(one) : one(result);
}

const overTheWire = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
