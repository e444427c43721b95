/** Normalize an email address for comparison: trimmed and in lower case. */
export const emailKeyOf = (email: string): string => email.trim().toLowerCase();

/** Whether a string looks like an email address. Deliberately loose. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);
