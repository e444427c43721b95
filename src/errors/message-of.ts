/** What something thrown says, whatever it is: the message of an error, else the value as text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something was thrown that cannot be shown as text';
  }
}
