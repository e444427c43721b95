import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answersPage } from '../../scripts/answers-table.js';
import { compile, optionsIn } from '../compiler.js';

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

test('the code of docs/answers.md compiles', () => {
  const code = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => `{\n${block}}`).join('\n');
  const folder = '.cache/answers';
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    `${folder}/answers.ts`,
    `import { type EarlierMagicAuthResponse, type Sallyport, UnexpectedResponseError } from 'sallyport';\ndeclare const sallyport: Sallyport;\n${code}\n`,
  );

  expect(code).toContain('error.cursor');
  expect(compile(folder, ['answers.ts'], optionsIn('.'))).toEqual({ 'answers.ts': [], elsewhere: [] });
}, 60_000);
