/** What a text says as JSON, if it is an object or a list; nothing otherwise. */
export function fromJson(text: string | null | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    // Its fields are looked at one by one before they are used.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
