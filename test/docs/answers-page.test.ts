import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answersPage } from '../../scripts/answers-table.js';

const page = readFileSync(new URL('../../docs/answers.md', import.meta.url), 'utf8');

test('docs/answers.md is up to date: `npm run docs` writes its table', async () => {
  expect(page).toBe(await answersPage(page));
});

test('a type has a row that says which of its fields may be missing', () => {
  expect(page).toContain(
    '| `User` | `id`, `email` | `emailVerified`, `createdAt`, `updatedAt` | ' +
      '`firstName`, `lastName`, `profilePictureUrl`, `externalId`, `lastSignInAt`, `locale` |',
  );
  expect(page).toContain('| `AuthenticationResponse` | `user`, `accessToken`, `refreshToken` | | `organizationId` |');
  expect(page).not.toMatch(/unnamed|`Totp`/);
});
