import { expect, test } from 'vitest';
import { requires, takesLong } from '../requirements.js';

test('a test without a need runs', () => expect(1).toBe(1));

requires('node')('a suite that has what it needs', () => {
  test('runs', () => expect(1).toBe(1));
});

requires('node', 'no-such-program')('a suite with a need', () => {
  test('cannot run', () => expect(1).toBe(2));
});

takesLong('a suite that takes long', () => {
  test('runs', () => expect(1).toBe(1));
});
