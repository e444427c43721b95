import {
  type Codec,
  descriptorOf,
  expectationOf,
  isObject,
  isOfKind,
  joinPath,
  kindOfValue,
  type Operation,
} from '../../emulator/command-line.js';

type Descriptor = ReturnType<typeof descriptorOf>;

/** A difference between a response and the description of its operation, or a secret that the response contains. */
type Found = { readonly difference: string } | { readonly secret: string };

/** Compare the body of a response with the description of its operation. Names fields and types, never values. */
export function compareBody({ kind, io }: Operation, codec: Codec, body: unknown) {
  const found = io.returns === undefined ? [] : [...inResponse(kind, descriptorOf(io.returns), codec, body)];
  return {
    differences: new Set(found.flatMap((one) => ('difference' in one ? one.difference : []))),
    secrets: found.flatMap((one) => ('secret' in one ? one.secret : [])),
  };
}

function* inResponse(kind: Operation['kind'], field: Descriptor, codec: Codec, body: unknown): Generator<Found> {
  if (kind !== 'list' && kind !== 'data') {
    yield* inValue(field, codec, body, '');
    return;
  }
  const { data, list_metadata: metadata } = Object(body);
  if (kind === 'list' && !isObject(metadata))
    yield { difference: `list_metadata must be an object, but is ${kindOfValue(metadata)}` };
  yield* inValue({ kind: 'array', element: field }, codec, data, 'data');
}

function* inValue(field: Descriptor, codec: Codec, value: unknown, at: string): Generator<Found> {
  if (field.secret && typeof value === 'string') yield { secret: value };
  if (!isOfKind(field, value)) {
    yield { difference: `${at || 'the body'} must be ${expectationOf(field)}, but is ${kindOfValue(value)}` };
    return;
  }
  if (field.kind === 'array')
    for (const item of value as readonly unknown[]) yield* inValue(field.element!, codec, item, `${at}[]`);
  if (field.kind === 'model') yield* inObject(field, codec, Object(value), at);
}

function* inObject(
  { model }: Descriptor,
  codec: Codec,
  value: Readonly<Record<string, unknown>>,
  at: string,
): Generator<Found> {
  const { fieldPlans } = codec.plan(model!);
  for (const { names, descriptor } of fieldPlans) {
    const name = names.find((one) => (value[one] ?? null) !== null) ?? names.find((one) => one in value) ?? names[0]!;
    const path = joinPath(at, name);
    const isLoose = descriptor.optional || descriptor.nullable || false;
    if ((value[name] ?? null) === null) {
      if (!isLoose) yield { difference: `${path} is ${name in value ? 'null' : 'missing'}` };
    } else yield* inValue(describedBy(descriptor, value), codec, value[name], path);
  }
  // Each resource names its type, which some descriptions leave out.
  for (const name of Object.keys(value))
    if (name !== 'object' && !fieldPlans.some(({ names }) => names.includes(name)))
      yield { difference: `${joinPath(at, name)} is new` };
}

/** Return the description of a field, which a sibling may select. An unknown sibling describes nothing. */
function describedBy(field: Descriptor, siblings: Readonly<Record<string, unknown>>): Descriptor {
  if (field.kind !== 'tagged') return field;
  const { by, fields } = field.tag!;
  return fields[String(siblings[by])] ?? { kind: 'map' };
}
