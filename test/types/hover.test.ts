import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';

// What an editor shows when the mouse rests on a result: a name, not the shape behind it.

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = join(root, 'test/types/consumer-in-memory.ts');
const program = `
import { type AnySallyportError, HOSTED_LOGIN, Sallyport } from 'sallyport';
declare const error: AnySallyportError;
const { organizations, userManagement, sso, mfa } = new Sallyport();
const redirectUri = 'https://app.acme.test/callback';

const organization = await organizations.getOrganization('org_01');
const user = await userManagement.getUser('user_01');
const [domain] = organization.domains;
const answer = await userManagement.authenticateWithCode({ code: 'c' });
const someone = answer.user;
const session = (await userManagement.listSessions('user_01')).data[0];
const users = userManagement.listUsers({ email: 'ada@acme.test' });
const { data: withResponse } = await userManagement.getUser('user_01').withResponse();
const keys = await userManagement.getJwks();
const profile = await sso.getProfileAndToken({ code: 'c' });
const challenge = await mfa.challengeFactor({ authenticationFactorId: 'auth_factor_01' });
const sealed = await userManagement.authenticateWithCode({
  code: 'c',
  session: { sealSession: true, cookiePassword: 'p' },
});
const cookie = userManagement.loadSealedSession({ sessionData: sealed.sealedSession, cookiePassword: 'p' });
const read = await cookie.authenticate();
const refreshed = await cookie.refresh();
const url = userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri });
switch (error.code) {
  case 'mfa_challenge': {
    const challenged = error;
    const factors = error.authenticationFactors;
    break;
  }
  case 'organization_selection_required': {
    const choices = error.organizations;
    break;
  }
}
`;

let service: ts.LanguageService;

beforeAll(() => {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const textOf = (path: string) => (path === file ? program : ts.sys.readFile(path));
  service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = textOf(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => dirname(file),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: textOf,
  });
}, 60_000);

/** What an editor shows at the first place where this text ends. */
const hoverAt = (text: string): string => {
  const at = program.indexOf(text);
  if (at < 0) throw new Error(`the program has no ${text}`);
  const info = service.getQuickInfoAtPosition(file, at + text.length - 1);
  return ts.displayPartsToString(info?.displayParts);
};

describe('the hover of', () => {
  test.each([
    ['const organization', 'const organization: Organization'],
    ['const user', 'const user: User'],
    ['const [domain', 'const domain: OrganizationDomain | undefined'],
    ['const answer', 'const answer: AuthenticationResponse'],
    ['const someone', 'const someone: User'],
    ['const session', 'const session: Session | undefined'],
    ['const users', 'const users: Pages<User>'],
    ['data: withResponse', 'const withResponse: User'],
    ['const keys', 'const keys: SigningKeys'],
    ['const profile', 'const profile: ProfileAndToken'],
    ['const challenge', 'const challenge: AuthenticationChallenge'],
    ['const sealed', 'const sealed: SealedAuthenticationResponse'],
    ['const cookie', 'const cookie: CookieSession'],
    ['const read', 'const read: AuthenticatedSession | UnauthenticatedSession'],
    ['const refreshed', 'const refreshed: RefreshedSession | UnrefreshedSession'],
    ['const url', 'const url: string'],
    ['const challenged', 'const challenged: MfaChallengeError'],
    ['const factors', 'const factors: readonly FactorChoice[]'],
    ['const choices', 'const choices: readonly OrganizationChoice[]'],
  ])('%s is %s', (place, shown) => {
    expect(hoverAt(place)).toBe(shown);
  });

  test('a field says its type and what it holds', () => {
    const info = service.getQuickInfoAtPosition(file, program.indexOf('.user;') + 1);

    expect(ts.displayPartsToString(info?.displayParts)).toBe('(property) user: User');
    expect(ts.displayPartsToString(info?.documentation)).toBe('Who has signed in.');
  });

  test('a method fits on a line', () => {
    const shown = hoverAt('userManagement.getUser');

    expect(shown).toBe('(method) Users.getUser(userId: string, options?: RequestOptions): Call<User>');
  });
});

test('the program of this test has no error of its own', () => {
  const messages = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];

  expect(messages.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
});
