import { isPlainObject } from '../../errors/plain-object.js';
import { tagOf } from '../../service/describe/codec.js';

/** The value of a query parameter. A list is joined by commas, a Date is its ISO text, and null or undefined omits the parameter. */
export type QueryValue =
  | string
  | number
  | boolean
  | Date
  | readonly (string | number | boolean | Date)[]
  | null
  | undefined;

/** Query parameters by wire name. */
export type QueryParameters = Readonly<Record<string, QueryValue>> | URLSearchParams;

/** The values of a parameter that URLSearchParams hold several times. They are sent one by one. */
export class Repeated extends Array<string> {}

/** Return query parameters by name; undefined if they are neither in a plain object nor URLSearchParams. */
export function parametersIn(given: unknown = {}): Readonly<Record<string, unknown>> | undefined {
  if (tagOf(given) !== 'URLSearchParams') return isPlainObject(given) ? Object(given) : undefined;
  const search = given as URLSearchParams;
  return Object.fromEntries(
    [...search.keys()].map((name) => {
      const [value = '', ...more] = search.getAll(name);
      // The limit of a list is described as a number.
      const isLimit = name === 'limit' && /^[1-9]\d{0,2}$/.test(value);
      return [name, more.length > 0 ? Repeated.of(value, ...more) : isLimit ? Number(value) : value];
    }),
  );
}

/** Return the text of a string, a number, a boolean, or of an object with such a `toJSON`, such as a Date; otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  const { toJSON } = Object(value) as { readonly toJSON?: () => unknown };
  const json = typeof toJSON === 'function' ? toJSON.call(value) : value;
  return ['string', 'number', 'boolean'].includes(typeof json) ? String(json) : undefined;
}
