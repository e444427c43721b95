import { checkNames, checkOption, isPlainObject, type OptionNames } from './known-options.js';

// An option that comes from an unset variable must not protect less than it says, so options that decide about access are checked by
// type. Each check throws a ConfigurationError with the code `invalid_option`.

/** Check an object of options, and the names in it. Undefined passes. */
export function checkObject<T extends object>(
  caller: string,
  options: T | undefined,
  known: OptionNames<T>,
  path = '',
): void {
  checkOption(
    options === undefined || isPlainObject(options),
    path.slice(0, -1) || `object of ${caller}`,
    `must be an object with options, not ${kindOf(options)}`,
  );
  checkNames(caller, options, known, path);
}

/** Return the items of a list; none if it is undefined. Missing items are undefined. */
export function listIn(option: string, list: unknown): readonly unknown[] {
  checkOption(list === undefined || Array.isArray(list), option, `must be a list, not ${kindOf(list)}`);
  // Not `map`, which skips missing items.
  return [...((list as readonly unknown[] | undefined) ?? [])];
}

/** Return the entries of an object with a value for each path; none if it is undefined. */
export function recordIn(option: string, record: unknown): readonly (readonly [path: string, value: unknown])[] {
  checkOption(
    record === undefined || isPlainObject(record),
    option,
    `must be an object with a value for each path, not ${kindOf(record)}`,
  );
  return Object.entries(record ?? {});
}

export const checkBoolean = (option: string, value: unknown): void =>
  checkOption(value === undefined || typeof value === 'boolean', option, `must be true or false, not ${kindOf(value)}`);

/** Check that a value is true, false or an object of options. Undefined passes. */
export const checkBooleanOrObject = (option: string, value: unknown): void =>
  checkOption(
    value === undefined || typeof value === 'boolean' || isPlainObject(value),
    option,
    `must be true, false or an object, not ${kindOf(value)}`,
  );

export function checkedAge(option: string, age: unknown): number {
  const isAge = typeof age === 'number' && Number.isFinite(age) && age > 0;
  checkOption(isAge, option, `must be a number of milliseconds above 0, not ${kindOf(age)}`);
  return Number(age);
}

/** Name the kind of a value, without the value, which may be secret. */
export function kindOf(value: unknown): string {
  if (value === '') return 'an empty string';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return String(value === null ? null : typeof value);
  return Array.isArray(value) ? 'a list' : (Object(value).constructor?.name ?? 'an object');
}
