import { argumentsOf, type NamedControl, typeOf } from '../../emulator/command-line.js';
import { pc } from '../colours.js';
import { printable, printableJson, printableLines } from '../printable.js';

/** Write how to call a control, such as `clock.advance <by>`. */
const usageOf = (named: NamedControl): string => {
  const known = argumentsOf(named);
  const shown = known.filter(({ isRequired, isPositional }) => isRequired || isPositional);
  const texts = shown.map(({ name, isRequired, isPositional }) =>
    isPositional ? (isRequired ? `<${name}>` : `[${name}]`) : `${name}=…`,
  );
  return [named.name, ...texts, ...(shown.length < known.length ? ['[name=value…]'] : [])].join(' ');
};

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `${first.padEnd(width)}  ${second}`).join('\n');
};

/** List all controls, with how to call them. */
export const listText = (all: readonly NamedControl[]): string =>
  columns(all.map((one) => [usageOf(one), `${one.operation.method} ${one.operation.path}`]));

const notations: Partial<Record<string, string>> = { array: ', as a,b or JSON', map: ', as JSON', model: ', as JSON' };

/** Write the help of a control from its description. */
export function helpText(named: NamedControl): string {
  const { method, path } = named.operation;
  const rows = argumentsOf(named).map(
    ({ name, field, isRequired }) =>
      [`  ${name}`, `${typeOf(field, String)}${notations[field.kind] ?? ''}${isRequired ? ', required' : ''}`] as const,
  );
  return [
    `sallyport control ${usageOf(named)}\n`,
    `Request: ${method} ${path}, see docs/reference/controls.md in the package`,
    ...(rows.length === 0 ? [] : [`\n${pc.bold('Arguments')}:\n${columns(rows)}`]),
  ].join('\n');
}

/** Format an answer for reading: one line for each field, and a blank line between the items of a list. */
export function readable(answer: unknown): string {
  const { object, data } = Object(answer) as { readonly object?: unknown; readonly data?: readonly unknown[] };
  const items = object === 'list' && data ? data : [answer];
  return items[0] === undefined || items[0] === null ? 'None.' : items.map(fieldLines).join('\n\n');
}

const fieldLines = (item: unknown): string =>
  columns(
    Object.entries(Object(item)).map(([name, value]) => [
      printable(name),
      typeof value === 'string' ? printableLines(value) : printableJson(value),
    ]),
  );
