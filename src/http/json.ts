/** Parse JSON from text or bytes. Returns undefined if it is invalid. */
export function parsedJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is a non-empty string. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether a value is a string that matches a pattern. */
export const isLike = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

/** Return a non-empty string, or null for any other value. */
export const textIn = (value: unknown): string | null => (isText(value) ? value : null);

/** Return the non-empty strings in a list. Empty if it is not a list. */
export const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);

/** Return the wire name of a field: `first_name` for `firstName`. */
export const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
