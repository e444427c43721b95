import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { Sallyport } from '../../src/index.js';
import { sender } from '../servers/send.js';
import { type commandLine, runtimes, untilPrinted } from './programs.js';

/** The output of an emulator when it starts. */
export interface Line {
  readonly url: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly adminKey: string;
  readonly state?: string;
}

/** A folder for the files of a test file, and a new name in it. */
export function stateFolder() {
  let folder: string;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-state-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return (ending: string): string => join(folder, `${++count}.${ending}`);
}

/** A seed with a user who can sign in, and an organization. */
export const seedText = (organization: string): string => `organizations: [{ id: org_acme, name: ${organization} }]
users: [{ id: user_ada, email: ada@acme.test, password: a quiet harbour at dawn, email_verified: true }]
memberships: [{ user_id: user_ada, organization_id: org_acme }]
`;

const password = 'the-password-of-the-cookie-of-the-app';
const clientOf = ({ url, apiKey, clientId }: Line): Sallyport => new Sallyport({ baseUrl: url, apiKey, clientId });

/** Sign that user in. Returns the cookie. */
export async function signIn(line: Line): Promise<string> {
  const answer = await clientOf(line).userManagement.authenticateWithPassword({
    email: 'ada@acme.test',
    password: 'a quiet harbour at dawn',
    session: { sealSession: true, cookiePassword: password },
  });
  return answer.sealedSession!;
}

/** Check the cookie of a signed-in user, and refresh it. */
export async function expectSignedIn(line: Line, sessionData: string): Promise<void> {
  const session = clientOf(line).userManagement.loadSealedSession({ sessionData, cookiePassword: password });
  expect(await session.authenticate()).toMatchObject({ authenticated: true, user: { id: 'user_ada' } });
  expect(await session.refresh()).toMatchObject({ authenticated: true, user: { id: 'user_ada' } });
}

/** Start emulators, on the Node of the tests or another runtime. Resolves once they listen. */
export const emulators =
  ({ run, file }: ReturnType<typeof commandLine>, runtime?: keyof typeof runtimes) =>
  async (...args: string[]) => {
    const [command, words] = runtime ? [runtime, runtimes[runtime]] : [process.execPath, []];
    const flags = ['emulator', '--port', '0', '--json', '--quiet', ...args];
    const program = await untilPrinted(run(command, [...words, file(), ...flags]), '}\n');
    const line = JSON.parse(program.output.out) as Line;
    return { ...program, ...line, send: sender(fetch, line.url, line.apiKey) };
  };
