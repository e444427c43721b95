/** An object with headers by name. A repeated header may be a list. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Return a header of an object, by its name in lower case. The names in the object may be in any letter case. */
export function headerField(
  fields: HeaderFields | null | undefined,
  name: string,
): string | readonly string[] | undefined {
  const value = fields?.[name];
  if (value !== undefined) return value;
  // Most requests lack most headers, so compare the length first.
  for (const key in fields) if (key.length === name.length && key.toLowerCase() === name) return fields[key];
  return undefined;
}
