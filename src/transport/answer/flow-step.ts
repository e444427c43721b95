import type { Explanation } from '../../errors/index.js';
import { isRecord } from '../../http/json.js';
import { signInStepIn } from '../../oauth/step.js';
import type { AnyModel } from '../../service/describe/define.js';
import type { Operation } from '../../service/describe/operation.js';
import { type FlowErrorCode, flowErrors } from '../../service/flow-errors.js';

/** The next step of a sign-in. */
export interface FlowStep {
  readonly code: FlowErrorCode;
  readonly explanation: Explanation;
  /** Data for the next call. */
  readonly details: object;
}

/** Reads a body by its model. Returns undefined if it does not match. */
export type ModelReader = (model: AnyModel, body: unknown) => unknown;

interface Described {
  readonly details: AnyModel;
  readonly what: string;
  readonly next: string;
}

/** Return the sign-in step that a code asks for, or undefined. Ignores the status. */
export function flowStepIn(read: ModelReader, operation: Operation, name: string, body: unknown): FlowStep | undefined {
  if (!Object.hasOwn(flowErrors, name)) return undefined;
  const code = name as FlowErrorCode;
  const { what, next, details: model }: Described = flowErrors[code];
  // Services send the name as `code` or as `error`; accept both.
  const fields = read(model, { ...(body as object), code, error: code });
  if (!isRecord(fields) || !signInStepIn(code, Object(body))) return undefined;
  const explanation = { what: `${operation.client} is not finished: ${what}`, next };
  return { code, explanation, details: detailsOf(model, fields) };
}

/** Fields that the error has already, as its code and message. */
const errorFields = ['code', 'error', 'errorDescription', 'message'];

/** Return the details of a step. A missing list is empty, a missing optional field undefined, any other missing field null. */
const detailsOf = ({ shape }: AnyModel, fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(shape)
      .filter(([name]) => !errorFields.includes(name))
      .map(([name, { kind, optional }]) => [
        name,
        fields[name] ?? (kind === 'array' ? [] : optional ? undefined : null),
      ]),
  );
