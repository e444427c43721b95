/** Compare two values by their JSON. `what` is their name in the error. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what} is ${is} and should be ${should}`);
}

/** Return the value, which must exist. */
export function there<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** Return the error that a promise rejects with. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Return every text that a program could print of a value: its fields, hidden or not, those of its causes, and their stacks. */
export function textsIn(value: unknown, seen = new Set<object>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  const fields = Reflect.ownKeys(value).map((name) => `${String(name)}: ${textsIn(Reflect.get(value, name), seen)}`);
  const headers = value instanceof Headers ? JSON.stringify([...value]) : '';
  return [value instanceof Error ? `${value} ${value.stack}` : '', headers, ...fields].join('\n');
}
