import { expect, test } from 'vitest';
import { nearest } from '../../src/errors/nearest.js';

const names = ['email', 'firstName', 'lastName', 'emailVerified', 'externalId', 'metadata', 'passwordHash'];

test.each([
  ['firstname', 'firstName'],
  ['first_name', 'firstName'],
  ['emial', 'email'],
  ['verified', 'emailVerified'],
  ['meta', 'metadata'],
  ['externalID', 'externalId'],
  ['phone', undefined],
  ['id', undefined],
  ['', undefined],
])('nearest($0) returns $1', (word, meant) => {
  expect(nearest(word, names)).toBe(meant);
});
