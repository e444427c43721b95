import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEmulator } from '../../emulator/index.js';
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

/** Format the variables that no file of the project sets yet. Returns undefined if all are set. */
export async function environmentFor(folder: string, path: string, redirectUri: string): Promise<Addition | undefined> {
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
  return { path, text: `${text.join('\n')}\n`, summary: names.join(', '), hasSecret };
}

/** Build the `.gitignore` line for a file. Returns undefined if git already ignores the file. */
export function ignoring(folder: string, path: string): Addition | undefined {
  return isIgnored(folder, path)
    ? undefined
    : { path: '.gitignore', text: `${path}\n`, summary: path, hasSecret: false };
}

function isIgnored(folder: string, path: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '-q', path], { cwd: folder, stdio: 'ignore' });
    return true;
  } catch (error) {
    // Exit status 1 means not ignored. Otherwise, git is not installed or the folder is not a repository yet.
    if ((error as { readonly status?: unknown }).status === 1) return false;
  }
  const file = join(folder, '.gitignore');
  const lines = existsSync(file) ? readTextFile(file, '.gitignore').split('\n') : [];
  return lines.some((line) => [path, `/${path}`, '.env*', '.env.*'].includes(line.trim()));
}
