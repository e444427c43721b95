import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, optionsOf } from '../builds/compiler.js';
import { addTypesOfReact, folderWithPackage, type Unpacked } from '../package/install.js';
import { takesLong } from '../runner/requirements.js';

const entries = [
  'index',
  'session',
  'webhooks',
  'browser',
  'react',
  'stores',
  'streams',
  'express',
  'fastify',
  'hono',
  'next',
  'emulator',
  'testing',
];
const specifierOf = (entry: string) => (entry === 'index' ? 'sallyport' : `sallyport/${entry}`);

const options = optionsOf({
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: 'es2022',
  lib: ['es2022', 'dom'],
  module: 'nodenext',
});

let installed: Unpacked;

/** Compile a program in a folder with the installed package. Returns the messages. */
const complaintsAbout = (program: string): readonly string[] | undefined => {
  writeFileSync(join(installed.folder, 'program.mts'), program);
  return compile(installed.folder, ['program.mts'], options)['program.mts'];
};

/** The types that each entry exports, by name. */
function exportedTypes(): Map<string, Map<string, ts.Symbol>> {
  const file = join(installed.folder, 'entries.mts');
  writeFileSync(file, entries.map((entry) => `import type * as ${entry} from '${specifierOf(entry)}';`).join('\n'));
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const types = new Map<string, Map<string, ts.Symbol>>();
  for (const statement of program.getSourceFile(file)!.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const clause = statement.importClause?.namedBindings;
    if (!clause || !ts.isNamespaceImport(clause)) continue;
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier)!;
    const originals = checker
      .getExportsOfModule(module)
      .map((one) => [one.name, one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one] as const)
      .filter(([, { flags }]) => flags & ts.SymbolFlags.Type);
    types.set(clause.name.text, new Map(originals));
  }
  return types;
}

/** Names that several entries export, each with two of them. */
function sharedNames(): (readonly [name: string, one: string, other: string])[] {
  const types = exportedTypes();
  const shared = [];
  for (const [at, one] of entries.entries())
    for (const other of entries.slice(at + 1))
      for (const name of types.get(one)!.keys())
        if (types.get(other)!.has(name)) shared.push([name, one, other] as const);
  return shared;
}

const imported = (entry: string, format: 'import' | 'require') =>
  `import type * as ${entry}_${format} from '${specifierOf(entry)}' with { 'resolution-mode': '${format}' };`;

takesLong('the published types', () => {
  beforeAll(async () => {
    installed = await folderWithPackage();
    addTypesOfReact(installed);
  });
  afterAll(() => installed?.remove());

  test('are identical in every package entry, for import and for require', () => {
    const shared = sharedNames();
    const imports = entries.flatMap((entry) => [imported(entry, 'import'), imported(entry, 'require')]);
    const assignments = shared.flatMap(([name, one, other], at) => [
      `declare let a${at}: ${one}_import.${name}, b${at}: ${other}_import.${name}, c${at}: ${other}_require.${name};`,
      `a${at} = b${at}; b${at} = a${at}; a${at} = c${at}; c${at} = a${at};`,
    ]);

    expect(assignments.length).toBeGreaterThan(50);
    expect(complaintsAbout([...imports, ...assignments].join('\n'))).toEqual([]);
  });

  test('can be extended in all entries by one module augmentation', () => {
    const complaints = complaintsAbout(`
      import { Sallyport } from 'sallyport';
      import { createBrowserClient } from 'sallyport/browser';
      import { sessionOf as sessionOfExpress } from 'sallyport/express';
      import { createSessions } from 'sallyport/session';
      declare module 'sallyport' {
        interface User {
          favouriteColour?: 'red' | 'blue';
        }
      }
      const sallyport = new Sallyport();
      const user = await sallyport.userManagement.getUser('user_01');
      const [event] = (await sallyport.events.listEvents({ events: ['user.created'] })).data;
      const { session } = await createSessions({ cookiePassword: '', clientId: '', baseUrl: '' }).handle(new Request('/'));
      const browser = createBrowserClient({ clientId: '', baseUrl: '', redirectUri: '' });
      const restored = await browser.restore();
      export const colours: ('red' | 'blue' | undefined)[] = [
        user.favouriteColour,
        event?.event === 'user.created' ? event.data.favouriteColour : undefined,
        session?.user.favouriteColour,
        sessionOfExpress({}).user.favouriteColour,
        restored.session?.user.favouriteColour,
      ];
      // @ts-expect-error This one was not added.
      user.favouriteNumber;`);

    expect(complaints).toEqual([]);
  });

  test('include the declared roles, permissions and claims of an application in all entries', () => {
    const complaints = complaintsAbout(`
      import { Sallyport } from 'sallyport';
      import { createBrowserClient } from 'sallyport/browser';
      import { sessionOf as ofExpress } from 'sallyport/express';
      import { sessionOf as ofFastify } from 'sallyport/fastify';
      import { sessionOf as ofHono } from 'sallyport/hono';
      import { usePermission, useSession } from 'sallyport/react';
      import { type AccessRequirement, createSessions } from 'sallyport/session';
      declare module 'sallyport' {
        interface SallyportTypes {
          roles: 'admin' | 'member';
          permissions: 'reports:read' | 'reports:write';
          features: 'new-dashboard';
          entitlements: 'audit-logs';
          claims: { readonly plan: 'free' | 'enterprise' };
        }
      }
      const { session } = await createSessions().handle(new Request('/'));
      const { session: inBrowser } = await createBrowserClient({ clientId: '', baseUrl: '', redirectUri: '' }).restore();
      const opened = await new Sallyport().userManagement.loadSealedSession({ sessionData: '' }).authenticate();
      const ofClient = opened.authenticated ? opened.session : null;
      const all = [session, inBrowser, useSession().session, ofClient, ofExpress({}), ofFastify({}), ofHono({ var: {} })];
      for (const one of all) {
        const role: 'admin' | 'member' | null | undefined = one?.role;
        const permissions: readonly ('reports:read' | 'reports:write')[] | undefined = one?.permissions;
        const features: readonly 'new-dashboard'[] | undefined = one?.featureFlags;
        const plan: 'free' | 'enterprise' | undefined = one?.claims?.plan;
        one?.has({ permission: 'reports:write', role: 'admin', feature: 'new-dashboard', entitlement: 'audit-logs' });
        // @ts-expect-error There is no such permission.
        one?.has({ permission: 'reports:delete' });
        // @ts-expect-error A permission is no role.
        one?.has({ role: 'reports:read' });
        // @ts-expect-error There is no such kind.
        one?.has({ permisson: 'reports:read' });
      }
      const roles: readonly ('admin' | 'member')[] = opened.authenticated ? opened.roles : [];
      usePermission('reports:read');
      // @ts-expect-error There is no such permission.
      usePermission('reports:delete');
      export const asked: AccessRequirement = { entitlement: 'audit-logs' };`);

    expect(complaints).toEqual([]);
  });

  test('apply the declared role and permission names to method parameters and results', () => {
    const complaints = complaintsAbout(`
      import { Sallyport } from 'sallyport';
      import { createEmulator } from 'sallyport/emulator';
      declare module 'sallyport' {
        interface SallyportTypes {
          roles: 'admin' | 'member';
          permissions: 'reports:read' | 'reports:write';
          features: 'new-dashboard';
          entitlements: 'audit-logs';
        }
      }
      const { organizations, userManagement } = new Sallyport();
      const emulator = await createEmulator();
      const email = 'ada@acme.test';
      const membership = await userManagement.createOrganizationMembership({ userId: '', organizationId: '', roleSlug: 'admin' });
      userManagement.createOrganizationMembership({ userId: '', organizationId: '' });
      userManagement.updateOrganizationMembership('om_01', { roleSlug: 'member' });
      userManagement.sendInvitation({ email, roleSlug: 'admin' });
      emulator.createRole({ slug: 'admin', permissions: ['reports:read'] });
      emulator.updateRole('role_01', { permissions: ['reports:write'] });
      emulator.setEntitlements('org_01', ['audit-logs']);
      emulator.setOrganizationFeatureFlags('org_01', ['new-dashboard']);
      emulator.setUserFeatureFlags('user_01', ['new-dashboard']);
      emulator.createDirectoryUser({ directoryId: '', email, role: { slug: 'admin' } });

      // Values that the service returns can be passed back.
      userManagement.updateOrganizationMembership('om_01', { roleSlug: membership.role.slug });
      for (const { slug, permissions } of (await organizations.listOrganizationRoles({ organizationId: '' }))) {
        userManagement.sendInvitation({ email, roleSlug: slug });
        emulator.updateRole('role_01', { permissions: permissions ?? [] });
      }
      const { roleSlug } = await userManagement.getInvitation('invitation_01');
      userManagement.sendInvitation({ email, roleSlug: roleSlug ?? undefined });

      // @ts-expect-error There is no such role.
      userManagement.createOrganizationMembership({ userId: '', organizationId: '', roleSlug: 'amin' });
      // @ts-expect-error There is no such role.
      userManagement.updateOrganizationMembership('om_01', { roleSlug: 'amin' });
      // @ts-expect-error There is no such role.
      userManagement.sendInvitation({ email, roleSlug: 'amin' });
      // @ts-expect-error A permission is not a role.
      userManagement.sendInvitation({ email, roleSlug: 'reports:read' });
      // @ts-expect-error There is no such role.
      emulator.createRole({ slug: 'amin' });
      // @ts-expect-error There is no such permission.
      emulator.createRole({ slug: 'admin', permissions: ['reports:delete'] });
      // @ts-expect-error There is no such permission.
      emulator.updateRole('role_01', { permissions: ['reports:delete'] });
      // @ts-expect-error There is no such entitlement.
      emulator.setEntitlements('org_01', ['new-dashboard']);
      // @ts-expect-error There is no such feature.
      emulator.setOrganizationFeatureFlags('org_01', ['audit-logs']);
      // @ts-expect-error There is no such feature.
      emulator.setUserFeatureFlags('user_01', ['audit-logs']);
      // @ts-expect-error There is no such role.
      emulator.createDirectoryUser({ directoryId: '', email, role: { slug: 'amin' } });`);

    expect(complaints).toEqual([]);
  });

  test('accept the declaration example in docs/sessions.md', () => {
    const [snippet = ''] =
      /^import 'sallyport';\n\ndeclare module[\s\S]*?^}$/m.exec(readFileSync('docs/sessions.md', 'utf8')) ?? [];
    const usage = `
      import { createSessions } from 'sallyport/session';
      const { session } = await createSessions().handle(new Request('/'));
      session?.has({ permission: 'reports:write' });
      // @ts-expect-error There is no such permission.
      session?.has({ permission: 'reports:delete' });`;

    expect(complaintsAbout(snippet + usage)).toEqual([]);
    expect(complaintsAbout(snippet.replace("import 'sallyport';", '') + usage)).not.toEqual([]);
  });

  test('accept any role or permission name if an application declares no names', () => {
    const complaints = complaintsAbout(`
      import { Sallyport } from 'sallyport';
      import { createSessions } from 'sallyport/session';
      const { session } = await createSessions().handle(new Request('/'));
      const role: string | null | undefined = session?.role;
      const plan: unknown = session?.claims.plan;
      declare const anyName: string;
      new Sallyport().userManagement.updateOrganizationMembership('om_01', { roleSlug: anyName });
      export const all = [role, plan, session?.has({ permission: 'anything:at-all' })];`);

    expect(complaints).toEqual([]);
  });

  test('do not expose internal types', () => {
    const folder = join(installed.folder, 'node_modules/sallyport/dist');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.d\.c?ts$/.test(file));
    const means =
      /\b(?:Fields?|FieldsOf|Model|AnyModel|Shape|Descriptor|Io|Operation|Room|Input|Output|View|GivenByCaller|Namespace|Transport|Codec|protected|private|keyof|infer)\b|#\w+|\btypeof (?!fetch\b)\w+|import\(/g;
    const found = files.flatMap((file) => {
      const code = readFileSync(join(folder, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\/|'[^'\n]*'/g, '')
        // Its derived type is meant for callers: parts of the data of any event.
        .replace(/^export type EventMatch<Data> = \{[^}]*\};/m, '')
        // The type of a transaction follows from the types of the user's driver.
        .replace(/^export type TransactionOf<Handle> =[\s\S]*?;\n\n/m, '');
      return [...code.matchAll(means)].map(([name]) => `${file}: ${name}`);
    });

    expect(files.length).toBeGreaterThan(20);
    expect(new Set(found)).toEqual(new Set());
  });
});
