import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Framework, type Manifest, majorOf, rangeOf } from './frameworks.js';
import { Refusal } from './refusal.js';

/** A project whose sign-in is set up. */
export interface Project {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly framework: Framework;
}

/** A file that a project needs. */
export interface Wiring {
  /** Where it is to be, from the folder of the project. */
  readonly path: string;
  readonly text: string;
  /** The file in which the project already has what this one is for, and which it may not replace. */
  readonly inPlaceOf?: string | undefined;
  /** What to do in that file. */
  readonly toAdd?: string;
}

/** The files of a project, and the page that shows that they work. */
export interface Setup {
  readonly files: readonly Wiring[];
  /** The command that starts the application. */
  readonly command: string;
}

/** The folder of this package. */
function packageFolder(folder = dirname(fileURLToPath(import.meta.url))): string {
  return existsSync(join(folder, 'examples/frameworks')) ? folder : packageFolder(dirname(folder));
}

/** The text of a file that is copied: of an application that the tests drive, or of a page to begin with. */
const example = (path: string): string => readFileSync(join(packageFolder(), 'examples', path), 'utf8');

/** The text with the account alone protected, for a project that has none of the example's other pages. */
function forAccount(text: string): string {
  const short = text
    .replace(/protect: \[[^\]]*\]/, "protect: ['/account']")
    .replace(/(?:\n *|, )(?:open: \[[^\]]*\]|(?:maxAgeSec|permission): \{[^}]*\}|page: \w+)(?:,(?=\n))?/g, '');
  const uses = (name: string): boolean => (short.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1;
  return short.replace(/^import \{ (\w+) \} from '\.[^']*';\n/gm, (line, name) => (uses(name) ? line : ''));
}

/** The text as JavaScript; it has no other types than whole imports, and those of what is declared. */
const withoutTypes = (text: string): string =>
  text
    .replace(/^ *import type .*\n/gm, '')
    .replace(/^( *(?:export )?const [\w{}, ]+): \w+ =/gm, '$1 =')
    .replace('<script lang="ts">\n\n', '<script>\n')
    .trimStart();

const isTypeScript = ({ folder }: Project): boolean => existsSync(join(folder, 'tsconfig.json'));

/** The first of these files that a project has. */
const present = ({ folder }: Project, paths: readonly string[]): string | undefined =>
  paths.find((path) => existsSync(join(folder, path)));

const scriptExtensions = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'];
const anyOf = (...names: readonly string[]): string[] =>
  names.flatMap((name) => scriptExtensions.map((extension) => `${name}.${extension}`));

/** What starts the application where the project has a script for it. */
const devScript = 'npm run dev';

function next(project: Project): Setup {
  const root = existsSync(join(project.folder, 'src')) ? 'src/' : '';
  if (!existsSync(join(project.folder, root, 'app')))
    throw new Refusal(
      'This project has no folder app. init writes files for the App Router alone; docs/sessions.md of the package says what sallyport/session does elsewhere.',
    );
  const typed = isTypeScript(project);
  const nameOf = (path: string): string => root + (typed ? path : path.replace(/\.tsx?$/, '.js'));
  // Until Next 16 the proxy was called middleware.
  const entry = (majorOf(rangeOf(project.manifest, 'next')) ?? 16) < 16 ? 'middleware' : 'proxy';
  const text = forAccount(example('frameworks/next/proxy.ts')).replace('const proxy =', `const ${entry} =`);
  return {
    files: [
      { path: nameOf('sallyport.ts'), text: example('frameworks/next/sallyport.ts') },
      {
        path: nameOf(`${entry}.ts`),
        text,
        inPlaceOf: present(project, anyOf(`${root}proxy`, `${root}middleware`)),
        toAdd: 'Have it answer with what next.proxy gives, for the requests that are not yours:',
      },
      { path: nameOf('app/account/page.tsx'), text: example('init/next/app/account/page.tsx') },
    ],
    command: devScript,
  };
}

function sveltekit(project: Project): Setup {
  const typed = isTypeScript(project);
  const script = (path: string, text: string): Pick<Wiring, 'path' | 'text'> =>
    typed ? { path, text } : { path: path.replace(/\.ts$/, '.js'), text: withoutTypes(text) };
  const hooks = forAccount(example('frameworks/sveltekit/src/hooks.server.ts'));
  // The types of hooks moved in SvelteKit 3.
  const isOld = (majorOf(rangeOf(project.manifest, '@sveltejs/kit')) ?? 3) < 3;
  return {
    files: [
      script('src/lib/server/sessions.ts', example('frameworks/sveltekit/src/lib/server/sessions.ts')),
      {
        ...script('src/hooks.server.ts', isOld ? hooks.replace('@sveltejs/kit/hooks', '@sveltejs/kit') : hooks),
        inPlaceOf: present(project, anyOf('src/hooks.server')),
        toAdd: 'Put this handle before yours by sequence of @sveltejs/kit/hooks:',
      },
      // Beside app.d.ts, which every project has: declarations of the same name are one.
      ...(typed ? [{ path: 'src/sallyport.d.ts', text: example('frameworks/sveltekit/src/app.d.ts') }] : []),
      script('src/routes/account/+page.server.ts', example('init/sveltekit/src/routes/account/+page.server.ts')),
      script('src/routes/account/+page.svelte', example('init/sveltekit/src/routes/account/+page.svelte')),
    ],
    command: devScript,
  };
}

function express(project: Project): Setup {
  const { manifest } = project;
  // Files are modules by their name where the project does not say that all are.
  const extension = manifest.type === 'module' ? 'js' : 'mjs';
  const named = (text: string): string => text.replaceAll('./sallyport.js', `./sallyport.${extension}`);
  const server = present(project, [
    ...(manifest.main ? [manifest.main] : []),
    ...anyOf('server', 'app', 'index', 'src/server', 'src/app', 'src/index'),
  ]);
  const folder = server?.startsWith('src/') ? 'src/' : '';
  const wiring = {
    path: `${folder}sallyport.${extension}`,
    text: forAccount(example('frameworks/express/sallyport.js')),
  };
  return server === undefined
    ? {
        files: [wiring, { path: `server.${extension}`, text: named(example('init/express/server.js')) }],
        command: `node server.${extension}`,
      }
    : {
        files: [
          wiring,
          {
            path: server,
            text: named("import { session } from './sallyport.js';\n\napp.use(session);\n"),
            inPlaceOf: server,
            toAdd: 'Use the session before your routes, where you make the application:',
          },
        ],
        command: manifest.scripts?.dev ? devScript : `node ${server}`,
      };
}

const setups: Readonly<Record<string, (project: Project) => Setup>> = { next, sveltekit, express };

/** What a project needs. @throws {Refusal} Its framework is not one of those whose files are copied. */
export function setupOf(project: Project): Setup {
  const { name, title } = project.framework;
  const setup = setups[name];
  if (setup) return setup(project);
  throw new Refusal(
    `This is a project with ${title}, for which init has no files. Copy those of examples/frameworks/${name} of the package, which docs/frameworks.md explains.`,
  );
}
