// Years beyond 9999 have a sign and six digits.
const iso = /^(?:\d{4}|[+-]\d{6})-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))?$/i;

/**
 * Whether a text is an ISO 8601 date, which begins at midnight UTC, or a time with its zone. A time without a zone would be another
 * moment on each machine.
 */
export const isTimestamp = (text: string): boolean => iso.test(text) && !Number.isNaN(Date.parse(text));
