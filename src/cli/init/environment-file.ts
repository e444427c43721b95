import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEmulator } from '../../emulator/index.js';
import { CommandError } from '../command-error.js';
import { readTextFile } from '../text-file.js';
import { variablesOf } from '../variables.js';

/** Text to append to a file. */
export interface Addition {
  readonly path: string;
  readonly text: string;
  /** Summary of the text to print. */
  readonly summary: string;
  /** Whether the text contains a secret. */
  readonly hasSecret: boolean;
}

/**
 * Format the variables that no file of the project sets yet. They are for the usual file of the framework, or for another file if
 * they contain a secret and git tracks the usual one. Returns undefined if all are set.
 *
 * @throws {CommandError} git tracks every file for secrets.
 */
export async function environmentFor(
  folder: string,
  usual: string,
  redirectUri: string,
): Promise<Addition | undefined> {
  const set = variablesOf(folder, {});
  const emulator = await createEmulator();
  const { apiKey, clientId } = emulator.credentials;
  await emulator.close();
  const blocks = [
    {
      comment:
        'The emulator that npx sallyport dev starts. In production, set only the client id and the API key of your application.',
      values: {
        SALLYPORT_BASE_URL: 'http://127.0.0.1:4100',
        // A base URL that the project already sets may belong to a service with another dialect.
        ...(!set.has('SALLYPORT_BASE_URL') && { SALLYPORT_DIALECT: 'workos' }),
        SALLYPORT_CLIENT_ID: clientId,
        SALLYPORT_API_KEY: apiKey,
      },
    },
    {
      comment:
        'Encrypts session cookies. Anyone who knows it can sign in as any user. Use a different one for each deployment.',
      values: { SALLYPORT_COOKIE_PASSWORD: randomBytes(32).toString('base64url') },
    },
    { comment: 'Where users return after signing in.', values: { SALLYPORT_REDIRECT_URI: redirectUri } },
  ].flatMap(({ comment, values }) => {
    const missing = Object.entries(values).filter(([name]) => !set.has(name));
    return missing.length === 0 ? [] : [{ comment, missing }];
  });
  if (blocks.length === 0) return undefined;
  const text = blocks.map(({ comment, missing }) =>
    [`# ${comment}`, ...missing.map(([name, value]) => `${name}=${value}`)].join('\n'),
  );
  const names = blocks.flatMap(({ missing }) => missing.map(([name]) => name));
  const hasSecret = names.some((name) => /KEY|PASSWORD/.test(name));
  const path = hasSecret ? fileForSecrets(folder, usual) : usual;
  return { path, text: `${text.join('\n')}\n`, summary: names.join(', '), hasSecret };
}

/** Choose the file for secrets: the first that git does not track. @throws {CommandError} It tracks all of them. */
function fileForSecrets(folder: string, usual: string): string {
  const names = [...new Set([usual, '.env.local', '.env.development.local'])];
  const found = names.find((name) => !isTracked(folder, name));
  if (found !== undefined) return found;
  throw new CommandError(
    `git tracks ${names.join(', ')}, so the API key and the cookie password would be in your next commit. Nothing was written. Run git rm --cached ${usual} and run init again.`,
  );
}

/** Build the `.gitignore` line for a file. Returns undefined if git already ignores the file, or tracks it. */
export function ignoring(folder: string, path: string): Addition | undefined {
  return isTracked(folder, path) || isIgnored(folder, path)
    ? undefined
    : { path: '.gitignore', text: `${path}\n`, summary: path, hasSecret: false };
}

/** Run git, and return its exit status. It is not 0 or 1 if git is not installed or the folder is not in a repository. */
const git = (folder: string, ...args: readonly string[]): number | null =>
  spawnSync('git', args, { cwd: folder, stdio: 'ignore' }).status;

const isTracked = (folder: string, path: string): boolean =>
  git(folder, 'ls-files', '--error-unmatch', '--', path) === 0;

function isIgnored(folder: string, path: string): boolean {
  // Without --no-index, a file that git tracks would never count as ignored, even if .gitignore names it.
  const status = git(folder, 'check-ignore', '-q', '--no-index', '--', path);
  if (status === 0 || status === 1) return status === 0;
  const file = join(folder, '.gitignore');
  const lines = existsSync(file)
    ? readTextFile(file, '.gitignore')
        .split(/\r?\n/)
        .map((line) => line.trimEnd())
    : [];
  const patterns = [path, `/${path}`, '.env*', ...(path === '.env' ? [] : ['.env.*', '*.local'])];
  // The last line that matches decides.
  return lines.findLast((line) => patterns.includes(line.replace('!', '')))?.startsWith('!') === false;
}
