/** What JSON says, given as text or as its bytes; undefined for what is none. */
export function parsedJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}

/** Whether a value is an object of JSON. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is a text that says something. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether a value is a text like this. */
export const isLike = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

/** A text that says something; null for anything else. */
export const textIn = (value: unknown): string | null => (isText(value) ? value : null);

/** The strings in a list; none if it is not a list. */
export const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);
