import { Codec, isObject, join } from '../../src/service/describe/codec.js';
import type { Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import type { Operation } from '../../src/service/describe/operation.js';

/** Return the paths of the fields in a response that the description of its operation does not have. */
export function undescribedIn({ kind, io }: Operation, body: unknown): readonly string[] {
  // It reads the names of every preset.
  const codec = new Codec(dialects.spec);
  const { returns } = io;
  if (!returns) return [];
  const field: Descriptor = 'kind' in returns ? returns : { kind: 'model', model: returns };
  const items = kind === 'list' || kind === 'data' ? Object(body).data : [body];
  return Array.isArray(items) ? [...new Set(items.flatMap((item) => [...walk(codec, field, item, '')]))] : ['data'];
}

function* walk(codec: Codec, field: Descriptor, value: unknown, at: string): Generator<string> {
  if (field.kind === 'array' && Array.isArray(value)) {
    for (const item of value) yield* walk(codec, field.element!, item, `${at}[]`);
  }
  if (field.kind !== 'model' || !isObject(value)) return;
  const { fieldPlans } = codec.plan(field.model!);
  for (const [name, child] of Object.entries(value)) {
    const plan = fieldPlans.find(({ names }) => names.includes(name));
    if (plan) yield* walk(codec, plan.descriptor, child, join(at, name));
    // Each resource names its type, which callers do not need.
    else if (name !== 'object') yield join(at, name);
  }
}
