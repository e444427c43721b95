/** Return a field of a thrown value; undefined if it has none or reading it throws. */
export function fieldOf(thrown: unknown, name: string): unknown {
  try {
    return (Object(thrown) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

/** Return the message of a thrown error, or any other thrown value as text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'a value was thrown that cannot be converted to text';
  }
}
