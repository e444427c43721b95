import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, optionsOf } from '../builds/compiler.js';
import { addTypesOfReact, folderWithPackage, type Unpacked } from '../package/install.js';
import { requires } from '../runner/requirements.js';

const folder = fileURLToPath(new URL('compilers', import.meta.url));
const consumer = fileURLToPath(new URL('../package/consumer.ts', import.meta.url));

/** Other releases of TypeScript. test/package/package.test.ts compiles with the installed one. */
const releases: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
).dependencies;

const versionOf = (release: string): string | undefined => {
  const manifest = join(folder, 'node_modules', release, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
};

const strictly = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: false,
  types: [],
  target: 'es2022',
  lib: ['es2022', 'dom'],
};

/** The permissions of an application: declared once, in one format, and known in both. */
const names = `
import { createBrowserClient } from 'sallyport/browser';
import { type CurrentSession } from 'sallyport/session';
declare module 'sallyport' {
  interface SallyportTypes {
    roles: 'admin' | 'member';
    permissions: 'reports:read' | 'reports:write';
    claims: { readonly plan?: 'free' | 'enterprise' };
  }
}
export const plan = (session: CurrentSession): 'free' | 'enterprise' | undefined => session.claims.plan;
export const readers = (session: CurrentSession): boolean => session.has({ permission: 'reports:read', feature: 'any' });
// @ts-expect-error The application has no such permission.
export const others = (session: CurrentSession): boolean => session.has({ permission: 'reports:delete' });
export const inBrowser = async (): Promise<'admin' | 'member' | null | undefined> =>
  (await createBrowserClient({ clientId: '', baseUrl: '', redirectUri: '' }).restore()).session?.role;
`;

/** A React page with the session of a server or of a client. */
const react = `
import { createElement, type FunctionComponent } from 'react';
import { createBrowserClient } from 'sallyport/browser';
import { type CurrentSession } from 'sallyport/session';
import { SessionProvider, SignInLink, SignOutButton, useAccessToken, usePermission, useSession } from 'sallyport/react';
const Page: FunctionComponent = () => {
  const { status, session, problem, refresh } = useSession();
  const email: string | undefined = session?.user.email;
  const mayRead: boolean = usePermission('reports:read');
  // @ts-expect-error The application has no such permission.
  usePermission('reports:delete');
  const token: Promise<string> = useAccessToken()({ forceRefresh: true });
  // @ts-expect-error There may be no user.
  session.user;
  // @ts-expect-error A link accepts the attributes of an anchor.
  createElement(SignInLink, { action: '/' });
  const link = createElement(SignInLink, { className: 'big', options: { returnTo: '/' } }, 'Come in');
  const button = createElement(SignOutButton, { disabled: true, returnTo: '/', onClick: refresh });
  return createElement('p', null, status, email, mayRead, problem?.message, String(token), link, button);
};
const client = createBrowserClient({ clientId: '', baseUrl: '', redirectUri: '' });
export const ofServer = (session: CurrentSession | null) => createElement(SessionProvider, { session, refreshFrom: '/' });
export const spread = (session: CurrentSession) => createElement(SessionProvider, { session: { ...session } });
export const ofClient = createElement(SessionProvider, { client, onSignIn: (to: string) => to }, createElement(Page));
// @ts-expect-error A session is the server's or the client's.
export const ofBoth = createElement(SessionProvider, { client, session: null });
`;

requires('test/types/compilers/node_modules')('a program that imports every package entry', () => {
  let installed: Unpacked;

  beforeAll(async () => {
    installed = await folderWithPackage();
    for (const name of ['consumer.mts', 'consumer.cts', 'consumer.ts'])
      copyFileSync(consumer, join(installed.folder, name));
    for (const name of ['names.mts', 'names.cts', 'names.ts']) writeFileSync(join(installed.folder, name), names);
    addTypesOfReact(installed);
    for (const name of ['react.mts', 'react.cts', 'react.ts']) writeFileSync(join(installed.folder, name), react);
    writeFileSync(join(installed.folder, 'wrong.mts'), "import { Sallyports } from 'sallyport';\nvoid Sallyports;\n");
    for (const [name, wanted] of Object.entries(releases))
      if (!wanted.endsWith(`@${versionOf(name)}`)) throw new Error(`${name} is not ${wanted}: run test/install`);
  });
  afterAll(() => installed?.remove());

  /** The output of a compiler for the right consumers and the wrong one, compiled together. */
  const complaintsOf = (release: string, module: string, moduleResolution: string): string[] => {
    const files = ['consumer.mts', 'consumer.cts', 'names.mts', 'names.cts', 'react.mts', 'react.cts', 'wrong.mts'];
    const compilerOptions = { ...strictly, module, moduleResolution };
    writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiler = join(folder, 'node_modules', release, 'bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false'], {
      cwd: installed.folder,
      encoding: 'utf8',
    });
    return stdout.trim().split('\n');
  };

  // The resolution nodenext of an older release is node16.
  const ways = [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const;
  test.each(Object.keys(releases).flatMap((release) => ways.map((way) => [release, ...way] as const)))(
    'compiles with %s, module %s and resolution %s',
    (release, module, resolution) => {
      expect(complaintsOf(release, module, resolution)).toEqual([
        expect.stringMatching(/^wrong\.mts.*'Sallyports'\. Did you mean 'Sallyport'\?/),
      ]);
    },
    120_000,
  );

  test('compiles with the legacy resolution node10', () => {
    const options = optionsOf({ ...strictly, module: 'commonjs', moduleResolution: 'node10' });

    expect(compile(installed.folder, ['consumer.ts', 'names.ts', 'react.ts'], options)).toEqual({
      'consumer.ts': [],
      'names.ts': [],
      'react.ts': [],
      elsewhere: [],
    });
  });
});
