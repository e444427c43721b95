import { expect, test } from 'vitest';
import { operations } from '../../src/service/operations.js';
import { limits } from '../../src/service/rates/limits.js';
import { rateLimits } from '../../src/service/rates/rate-limits.js';
import { specifiedLimits, specifiedRateLimits } from '../spec/limits.js';

test('the service limits match the specification', () => {
  const { auditMetadata, ...rest } = limits;

  expect({
    ...rest,
    auditMetadata: {
      keys: auditMetadata.keys,
      keyCharacters: auditMetadata.keyLength,
      valueCharacters: auditMetadata.valueLength,
    },
  }).toEqual(specifiedLimits);
});

test('the rate limits match the specification, including their order', () => {
  expect(
    rateLimits.map(({ scope, requests, windowMs, per }) => ({ scope, requests, seconds: windowMs / 1_000, per })),
  ).toEqual(specifiedRateLimits);
});

test('each path with a rate limit belongs to an operation', () => {
  const paths = Object.values(operations).map(({ path }) => path);
  const counted = rateLimits.flatMap(({ counts }) => (typeof counts === 'object' ? [counts.path] : []));
  const isServed = (path: string) =>
    path.endsWith('*') ? paths.some((one) => one.startsWith(path.slice(0, -1))) : paths.includes(path);

  expect(counted).toHaveLength(10);
  expect(counted.filter((path) => !isServed(path))).toEqual([]);
});
