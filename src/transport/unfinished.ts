import type { Explanation } from '../errors/index.js';
import { isRecord } from '../http/json.js';
import type { AnyModel } from '../service/describe/define.js';
import type { Operation } from '../service/describe/operation.js';
import { type FlowErrorCode, flowErrors } from '../service/flow-errors.js';

/** The next step of a sign-in. */
export interface Step {
  readonly code: FlowErrorCode;
  readonly explanation: Explanation;
  /** What the next call needs. */
  readonly details: object;
}

/** Reads a body by its model; undefined where it is not as described. */
export type Read = (model: AnyModel, body: unknown) => unknown;

interface Described {
  readonly details: AnyModel;
  readonly what: string;
  readonly next: string;
}

/** The next step that a code stands for, whatever the status; `undefined` when it stands for none. */
export function stepOf(read: Read, operation: Operation, name: string, body: unknown): Step | undefined {
  if (!Object.hasOwn(flowErrors, name)) return undefined;
  const code = name as FlowErrorCode;
  const { what, next, details: model }: Described = flowErrors[code];
  // The names say `code` in some bodies and `error` in others; services are not of one mind about it.
  const fields = read(model, { ...(body as object), code, error: code });
  if (!isRecord(fields)) return undefined;
  const explanation = { what: `${operation.client} is not finished: ${what}`, next };
  return { code, explanation, details: detailsOf(model, fields) };
}

/** What the error says already, by its code and its message. */
const said = ['code', 'error', 'errorDescription', 'message'];

/** Where a detail is absent, a list is empty and what may be absent is undefined. */
const detailsOf = ({ shape }: AnyModel, fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(shape)
      .filter(([name]) => !said.includes(name))
      .map(([name, { kind, optional }]) => [
        name,
        fields[name] ?? (kind === 'array' ? [] : optional ? undefined : null),
      ]),
  );
