/** Maximum line width. Longer values are split into several lines. */
const maxWidth = 96;

/** Write a JSON value as a JavaScript literal. */
export function literalOf(value: unknown): string {
  const short = shortOf(value);
  return short.length <= maxWidth && !short.includes('\n') ? short : longOf(value, '');
}

const textOf = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textOf(name));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const fieldsOf = (value: object): (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, one]) => one !== undefined);

function shortOf(value: unknown): string {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return `[${value.map(shortOf).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const fields = fieldsOf(value);
  return fields.length === 0
    ? '{}'
    : `{ ${fields.map(([name, one]) => `${nameOf(name)}: ${shortOf(one)}`).join(', ')} }`;
}

function longOf(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  const line = (before: string, one: unknown): string => {
    const short = shortOf(one);
    const text = inner.length + before.length + short.length <= maxWidth || !isObject(one) ? short : longOf(one, inner);
    return `${inner}${before}${text},\n`;
  };
  if (Array.isArray(value)) return `[\n${value.map((one) => line('', one)).join('')}${indent}]`;
  if (!isObject(value)) return shortOf(value);
  return `{\n${fieldsOf(value)
    .map(([name, one]) => line(`${nameOf(name)}: `, one))
    .join('')}${indent}}`;
}
