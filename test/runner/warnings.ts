import { afterAll, beforeAll } from 'vitest';

/** Capture the warnings and errors that the tests of a file cause, so that a green run prints nothing. Returns their lines. */
export function captureWarnings(): readonly string[] {
  const lines: string[] = [];
  const { warn, error } = console;
  beforeAll(() => {
    console.warn = (...values) => void lines.push(values.join(' '));
    console.error = console.warn;
  });
  afterAll(() => Object.assign(console, { warn, error }));
  return lines;
}
