/** Return the message of a thrown error, or any other thrown value as text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'a value was thrown that cannot be converted to text';
  }
}
