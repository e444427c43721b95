// Builds the table in docs/answers.md that lists the fields of responses that may be missing.
import { readdirSync } from 'node:fs';
import { ignoresNull, isEssential } from '../src/service/describe/codec.js';
import type { AnyModel, Descriptor } from '../src/service/describe/define.js';
import { descriptorOf } from '../src/service/describe/operation.js';
import { event } from '../src/service/events.js';
import { operations } from '../src/service/operations.js';

const service = new URL('../src/service/', import.meta.url);
const heading =
  '| Type | Always present | May be `undefined` although typed as present | `null` when missing | `null` is refused |\n|---|---|---|---|---|\n';

/** Collect all models of responses, including nested ones. */
function modelsOfAnswers(): ReadonlySet<AnyModel> {
  const models = new Set<AnyModel>();
  const add = (field: Descriptor): void => {
    const { model, element, tag } = field;
    if (model && !models.has(model)) {
      models.add(model);
      Object.values(model.shape).forEach(add);
    }
    if (element) add(element);
    if (tag) Object.values(tag.fields).forEach(add);
  };
  for (const { io } of Object.values(operations)) if (io.returns) add(descriptorOf(io.returns));
  add({ kind: 'model', model: event });
  return models;
}

/** Map models to the names of their types: `organizationDomain` to `OrganizationDomain`. */
async function typeNames(): Promise<ReadonlyMap<unknown, string>> {
  const names = new Map<unknown, string>();
  for (const file of readdirSync(service, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort())
    for (const [name, value] of Object.entries<unknown>(await import(new URL(file, service).href)))
      if (!names.has(value)) names.set(value, name[0]!.toUpperCase() + name.slice(1));
  return names;
}

function rowOf([type, { shape }]: readonly [string, AnyModel]): string[] {
  const fields = Object.entries<Descriptor>(shape).filter(([, { optional, kind }]) => !optional && kind !== 'constant');
  const list = (which: (key: string, field: Descriptor) => boolean) =>
    fields
      .filter(([key, field]) => which(key, field))
      .map(([key]) => `\`${key}\``)
      .join(', ');
  const cells = [
    list(isEssential),
    list((key, field) => !isEssential(key, field) && !field.nullable),
    list((_, { nullable }) => nullable === true),
    list((key, field) => !field.nullable && !isEssential(key, field) && !ignoresNull(key, field)),
  ];
  // Omit types whose fields are all optional: the row would be empty.
  return cells.every((cell) => cell === '')
    ? []
    : [`| ${[`\`${type}\``, ...cells].join(' | ')} |`.replace(/ {2,}/g, ' ')];
}

/** Replace the table of a page: one row per response type. */
export async function withMissingFields(text: string): Promise<string> {
  const names = await typeNames();
  const types = [...modelsOfAnswers()].map((model) => [names.get(model) ?? 'unnamed', model] as const);
  const rows = types.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(rowOf);
  return text.replace(/^\| Type \| Always present .*\n(?:\|.*\n)*/m, () => `${heading}${rows.join('\n')}\n`);
}
