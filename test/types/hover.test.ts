import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderWithPackage, type Unpacked } from '../package/install.js';
import { takesLong } from '../runner/requirements.js';
import { type Editor, editorOf } from './editor.js';

// The hovers of an editor for the installed package, with the words of the specification only.

const program = `
import { type AnySallyportError, HOSTED_LOGIN, NotFoundError, Sallyport } from 'sallyport';
import { createEmulator, type Seed } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { expressSession } from 'sallyport/express';
declare const error: AnySallyportError;
declare const caught: unknown;
const sallyport = new Sallyport();
const { organizations, userManagement, sso, mfa, events, directorySync } = sallyport;
const redirectUri = 'https://app.acme.test/callback';

const organization = await organizations.getOrganization('org_01');
const created = organization.createdAt;
const [domain] = organization.domains;
const state = domain?.state;
const user = await userManagement.getUser('user_01');
const users = userManagement.listUsers({ email: 'ada@acme.test' });
const page = await userManagement.listUsers();
const after = page.listMetadata.after;
for await (const someone of directorySync.listUsers({ directory: 'directory_01' })) someone.emails;
const { data: withResponse } = await userManagement.getUser('user_01').withResponse();
const answer = await userManagement.authenticateWithCode({ code: 'c' });
const sealed = await userManagement.authenticateWithCode({
  code: 'c',
  session: { sealSession: true, cookiePassword: 'p' },
});
const cookie = userManagement.loadSealedSession({ sessionData: sealed.sealedSession, cookiePassword: 'p' });
const read = await cookie.authenticate();
const url = userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri });
const profile = await sso.getProfileAndToken({ code: 'c' });
const challenge = await mfa.challengeFactor({ authenticationFactorId: 'auth_factor_01' });
for await (const event of events.listEvents({ events: ['organization_domain.verified'] })) {
  if (event.event !== 'organization_domain.verified') continue;
  const verified = event;
  const domainOfEvent = event.data;
}
switch (error.code) {
  case 'mfa_challenge': {
    const challenged = error;
    const factors = error.step.authenticationFactors;
    break;
  }
}
if (caught instanceof NotFoundError) {
  const status = caught.status;
}
const sessions = createSessions({ cookiePassword: 'p', clientId: 'client_01', baseUrl: 'https://api.acme.test' });
const result = await sessions.handle(new Request('https://app.acme.test/'));
if (result.status === 'active') {
  const somebody = result.session;
  const roles = result.session.roles;
}
const middleware = expressSession(sessions);
const seed: Seed = { users: [{ email: 'ada@acme.test', first_name: 'Ada' }] };
const emulator = await createEmulator({ seed });
const connection = await emulator.createConnection({ connectionType: 'OktaSAML' });
const mail = await emulator.inbox.waitFor({ to: 'ada@acme.test' });

user.emial; // wrong
user.first_name; // wrong
organizations.createOrganization({ name: 'Acme', allowProfiles: true }); // wrong
organizations.createOrganization({ name: 'Acme', domain_data: [] }); // wrong
page.map((one) => one.id); // wrong
for (const one of page) one.id; // wrong
users.data; // wrong
organizations.createOrganization({ name: 'Acme', domainData: [{ domain: 'acme.test', state: 'verifyed' }] }); // wrong
organizations.getOrganization(); // wrong
userManagement.updateUser({ firstName: 'Ada' }); // wrong
createEmulator({ seed: { organisations: [] } }); // wrong
`;

takesLong('an editor', () => {
  let installed: Unpacked;
  let editor: Editor;
  beforeAll(async () => {
    installed = await folderWithPackage();
    editor = editorOf(program, installed.folder);
  });
  afterAll(() => installed?.remove());

  test.each(
    [
      ['const organization', 'const organization: Organization'],
      ['const [domain', 'const domain: OrganizationDomain | undefined'],
      ['const user', 'const user: User'],
      ['const users', 'const users: PagePromise<User>'],
      ['const page', 'const page: Page<User>'],
      ['const after', 'const after: string | null'],
      ['const someone', 'const someone: DirectoryUser'],
      ['data: withResponse', 'const withResponse: User'],
      ['const answer', 'const answer: AuthenticationResponse'],
      ['const sealed', 'const sealed: SealedAuthenticationResponse'],
      ['const cookie', 'const cookie: CookieSession'],
      ['const read', 'const read: AuthenticatedSession | UnauthenticatedSession'],
      ['const url', 'const url: string'],
      ['const profile', 'const profile: ProfileAndToken'],
      ['const challenge', 'const challenge: AuthenticationChallenge'],
      ['const event', 'const event: Event'],
      ['const verified', 'const verified: EventRecord<"organization_domain.verified", OrganizationDomain>'],
      ['const domainOfEvent', 'const domainOfEvent: OrganizationDomain'],
      ['const challenged', 'const challenged: SignInStepError<"mfa_challenge">'],
      ['const factors', 'const factors: readonly FactorChoice[]'],
      ['const status', 'const status: number'],
      ['const sessions', 'const sessions: Sessions'],
      ['const result', 'const result: HandleResult'],
      ['const somebody', 'const somebody: CurrentSession'],
      ['const middleware', 'const middleware: ExpressMiddleware'],
      ['const seed', 'const seed: Seed'],
      ['const emulator', 'const emulator: Emulator'],
      ['const connection', 'const connection: Connection'],
      ['const mail', 'const mail: Message'],
    ].map(([place, shown]) => [/^const (\w+)/.exec(shown!)![1]!, place!, shown!]),
  )('shows the type of the variable %s on hover', (_, place, shown) => {
    expect(editor.hoverAt(place)).toBe(shown);
  });

  test.each(
    [
      [
        'organizations.getOrganization',
        '(method) Organizations.getOrganization(id: string, options?: RequestOptions): Call<Organization>',
      ],
      [
        'userManagement.getUser',
        '(method) UserManagement.getUser(userId: string, options?: RequestOptions): Call<User>',
      ],
      [
        'users = userManagement.listUsers',
        '(method) UserManagement.listUsers(params?: UserFilter & ListParams, options?: ListOptions): PagePromise<User>',
      ],
      [
        'cookie = userManagement.loadSealedSession',
        '(method) UserManagement.loadSealedSession(options: SealedSessionOptions): CookieSession',
      ],
      [
        'sessions.handle',
        '(method) Sessions.handle(request: RequestLike, options?: HandleOptions): Promise<HandleResult>',
      ],
      [
        'emulator.createConnection',
        '(method) Controls.createConnection(connection: NewConnection): Promise<Connection>',
      ],
      ['emulator.inbox.waitFor', '(method) Inbox.waitFor(options?: WaitOptions): Promise<Message>'],
    ].map(([place, shown]) => [place!.replace(/^\w+ = /, ''), place!, shown!]),
  )('shows the signature of %s in one line', (_, place, shown) => {
    expect(editor.hoverAt(place)).toBe(shown);
  });

  test.each(
    [
      ['organization.createdAt', '(property) Organization.createdAt: string', 'createdAt: string;'],
      [
        'someone.emails',
        '(property) DirectoryUser.emails?: DirectoryUserEmail[] | null | undefined',
        'emails?: DirectoryUserEmail[] | null;',
      ],
      ['result.session.roles', '(property) Access.roles: readonly RoleName[]', 'readonly roles: readonly RoleName[];'],
      ['caught.status', '(property) ApiError<"not_found">.status: number', 'readonly status: number;'],
      [
        'domainOfEvent = event.data',
        '(property) EventRecord<"organization_domain.verified", OrganizationDomain>.data: OrganizationDomain',
        'data: Data;',
      ],
    ].map(([place, shown, definition]) => [place!.replace(/^\w+ = /, ''), place!, shown!, definition!]),
  )('shows the type and finds the definition of %s', (_, place, shown, definition) => {
    expect(editor.hoverAt(place)).toBe(shown);
    expect(editor.definitionAt(place)).toBe(definition);
  });

  test('shows and completes the fields of a seed', () => {
    expect(editor.hoverAt('first_name')).toBe('(property) UserSeed.first_name?: string | null | undefined');
    expect(editor.commentAt('first_name')).toBe('Given name.');
    expect(editor.completionsAfter('const seed: Seed = { ')).toEqual(
      expect.arrayContaining(['organizations', 'users', 'connections', 'directories', 'warrants']),
    );
  });

  test('shows the known values of an enum field', () => {
    expect(editor.hoverAt('domain?.state')).toBe(
      '(property) OrganizationDomain.state?: "failed" | "legacy_verified" | "pending" | "unverified" | "verified" | (string & {}) | null | undefined',
    );
  });

  test('finds the declaration of a method, not its implementation', () => {
    expect(editor.definitionAt('userManagement.getUser')).toBe(
      'getUser(userId: string, options?: RequestOptions): Call<User>;',
    );
  });

  test.each([
    [
      'a misspelt field',
      'user.emial',
      ["Property 'emial' does not exist on type 'User'. Did you mean 'email'?\n'email' is declared here."],
    ],
    [
      'a wire name instead of a field name',
      'user.first_name',
      ["Property 'first_name' does not exist on type 'User'. Did you mean 'firstName'?\n'firstName' is declared here."],
    ],
    [
      'an unknown field in a request body',
      'allowProfiles',
      [
        "Object literal may only specify known properties, and 'allowProfiles' does not exist in type 'OrganizationCreate'.",
      ],
    ],
    [
      'a wire name in a request body',
      'domain_data',
      [
        "Object literal may only specify known properties, but 'domain_data' does not exist in type 'OrganizationCreate'. Did you mean to write 'domainData'?",
      ],
    ],
    [
      'an unknown field value',
      "'verifyed'",
      [
        `Type '"verifyed"' is not assignable to type '"pending" | "verified"'. Did you mean '"verified"'?\n` +
          "The expected type comes from property 'state' which is declared here on type 'OrganizationDomainData'",
      ],
    ],
    [
      'a missing id',
      'getOrganization();',
      ["Expected 1-2 arguments, but got 0.\nAn argument for 'id' was not provided."],
    ],
    [
      'a misspelt section of a seed',
      'organisations',
      ["Object literal may only specify known properties, and 'organisations' does not exist in type 'URL | Seed'."],
    ],
    [
      'a request body without the id',
      "updateUser({ firstName: 'Ada' })",
      [
        "Argument of type '{ firstName: string; }' is not assignable to parameter of type 'UserUpdate & OfUser'.\n" +
          "  Property 'userId' is missing in type '{ firstName: string; }' but required in type 'OfUser'.\n" +
          "'userId' is declared here.",
      ],
    ],
    [
      'a page used as an array',
      'page.map',
      ["Property 'map' does not exist on type 'Page<User>'.", "Parameter 'one' implicitly has an 'any' type."],
    ],
    [
      'a loop over a page instead of page.data',
      'for (const one of page',
      ["Type 'Page<User>' must have a '[Symbol.iterator]()' method that returns an iterator."],
    ],
    [
      'a list that was not awaited',
      'users.data',
      ["Property 'data' does not exist on type 'PagePromise<User>'.\nDid you forget to use 'await'?"],
    ],
  ])('names the cause in the type error for %s', (_, place, messages) => {
    expect(editor.mistakesIn(place)).toEqual(messages);
  });

  test('reports no type error in correct code', () => {
    expect(editor.unexpected).toEqual([]);
  });
});
