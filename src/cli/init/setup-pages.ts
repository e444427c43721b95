import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { CommandError } from '../command-error.js';
import { configIn } from '../config-file.js';
import { majorVersionOf } from './installed-version.js';
import {
  findFile,
  isTypeScript,
  type Project,
  type Setup,
  script,
  template,
  textIn,
  withExtensions,
} from './wiring.js';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Build the setup for Next. @throws {CommandError} The project does not use the App Router. */
export function next(project: Project): Setup {
  // Next looks into src only if the root has no app folder.
  const root = ['', 'src/'].find((parent) => isFolder(join(project.folder, parent, 'app')));
  if (root === undefined)
    throw new CommandError(
      'This project has no app folder. init supports only the App Router. For other setups, see docs/sessions.md in the package.',
    );
  const typed = isTypeScript(project);
  const nameOf = (path: string): string => root + (typed ? path : path.replace(/\.tsx?$/, '.js'));
  // Before Next 16, the proxy was called middleware.
  const entry = majorVersionOf(project, 'next') < 16 ? 'middleware' : 'proxy';
  return {
    files: [
      { path: nameOf('sallyport.ts'), text: template(project, 'sallyport.ts') },
      {
        path: nameOf(`${entry}.ts`),
        text: template(project, 'proxy.ts').replace('const proxy =', `const ${entry} =`),
        existingFile: findFile(project, withExtensions(`${root}proxy`, `${root}middleware`)),
        instruction: 'Return the response of next.proxy for requests that your code does not handle:',
      },
      { path: nameOf('app/account/page.tsx'), text: template(project, 'page.tsx') },
    ],
  };
}

/** Build the setup for SvelteKit. */
export function sveltekit(project: Project): Setup {
  const [, files = ''] = (configIn(project.folder, ['svelte.config', 'vite.config']) ?? '').split(/\bfiles\s*:\s*\{/);
  const lib = pathSetting(files, 'lib') ?? 'src/lib';
  const routes = pathSetting(files, 'routes') ?? 'src/routes';
  const hooksFile = pathSetting(files, 'server') ?? 'src/hooks.server';
  const hooks = script(project, `${hooksFile.replace(/\.[jt]s$/, '')}.ts`, 'hooks.server.ts');
  const sessions = files === '' ? './lib/server/sessions' : '$lib/server/sessions';
  // SvelteKit 3 moved the types of hooks.
  const types = majorVersionOf(project, '@sveltejs/kit') < 3 ? '@sveltejs/kit' : '@sveltejs/kit/hooks';
  const typed = isTypeScript(project);
  return {
    files: [
      script(project, `${lib}/server/sessions.ts`, 'sessions.ts'),
      {
        path: hooks.path,
        text: hooks.text.replace('./lib/server/sessions', sessions).replace('@sveltejs/kit/hooks', types),
        existingFile: findFile(project, withExtensions(hooksFile.replace(/\.[jt]s$/, ''))),
        instruction: 'Run this handle before yours, with sequence from @sveltejs/kit/hooks:',
      },
      // Projects already have an app.d.ts. TypeScript merges the declarations of both files.
      ...(typed ? [{ path: 'src/sallyport.d.ts', text: template(project, 'app.d.ts') }] : []),
      script(project, `${routes}/account/+page.server.ts`, 'page.server.ts'),
      { path: `${routes}/account/+page.svelte`, text: template(project, typed ? 'page.ts.svelte' : 'page.js.svelte') },
    ],
  };
}

/** Build the setup for Nuxt. */
export function nuxt(project: Project): Setup {
  const server = nuxtServerFolder(project);
  return {
    files: [
      script(project, `${server}/middleware/session.ts`, 'session.ts'),
      script(project, `${server}/routes/account.get.ts`, 'account.get.ts'),
    ],
  };
}

/** Find the folder of the server of Nuxt. Before Nuxt 4, it is below `srcDir`. */
function nuxtServerFolder(project: Project): string {
  const config = configIn(project.folder, ['nuxt.config']) ?? '';
  const serverDir = pathSetting(config, 'serverDir');
  if (serverDir !== undefined) return serverDir;
  const srcDir = pathSetting(config, 'srcDir');
  const isNew =
    srcDir === undefined || /\bcompatibilityVersion\s*:\s*4\b/.test(config) || majorVersionOf(project, 'nuxt') > 3;
  return isNew ? 'server' : posix.join(srcDir, 'server');
}

/** Read a path of the project from a configuration, without slashes at its ends. Returns undefined if it is not a literal. */
function pathSetting(config: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}\\s*:\\s*['"\`]([\\w@./-]+)['"\`]`).exec(config) ?? [];
  const path = value && posix.normalize(value).replace(/\/$/, '');
  return path && !/^(?:\/|\.\.)/.test(path) ? path : undefined;
}

/** Find the folder of the source of a project, with a slash at its end. */
function sourceFolder(project: Project, configs: readonly string[], name: string, usual: string): string {
  const folder = pathSetting(configIn(project.folder, configs) ?? '', name) ?? usual;
  return folder === '.' ? '' : `${folder}/`;
}

/** Build the setup for Astro. */
export function astro(project: Project): Setup {
  const config = findFile(project, withExtensions('astro.config'));
  const source = sourceFolder(project, ['astro.config'], 'srcDir', 'src');
  return {
    files: [
      {
        ...script(project, `${source}middleware.ts`, 'middleware.ts'),
        existingFile: findFile(project, withExtensions(`${source}middleware`, `${source}middleware/index`)),
        instruction: 'Run this onRequest before yours, with sequence from astro:middleware:',
      },
      ...(isTypeScript(project)
        ? [
            {
              path: `${source}env.d.ts`,
              text: template(project, 'env.d.ts'),
              existingFile: findFile(project, [`${source}env.d.ts`]),
              instruction: 'Add the type of locals to it:',
            },
          ]
        : []),
      {
        path: config ?? 'astro.config.mjs',
        text: config === undefined ? template(project, 'astro.config.mjs') : "output: 'server',\n",
        existingFile: config,
        instruction:
          'Builds need an adapter: run npx astro add node, for example. To render pages on request, also add:',
        donePattern: /\boutput: *['"]server['"]/,
      },
      { path: `${source}pages/account.astro`, text: template(project, 'account.astro') },
    ],
  };
}

/** Build the setup for TanStack Start. */
export function tanstackStart(project: Project): Setup {
  const source = sourceFolder(project, ['vite.config'], 'srcDirectory', 'src');
  const router = findFile(project, withExtensions(`${source}router`));
  const isDeclaredTwice =
    router !== undefined && /declare module ['"]@tanstack\/react-router['"]/.test(textIn(project, router));
  return {
    files: [
      script(project, `${source}sessions.ts`, 'sessions.ts'),
      {
        ...script(project, `${source}server.ts`, 'server.ts'),
        existingFile: findFile(project, withExtensions(`${source}server`)),
        instruction: 'Wrap your handler in withSession, and pass auth to it as context:',
      },
      script(project, `${source}routes/account.tsx`, 'account.tsx'),
      ...(isDeclaredTwice
        ? [
            {
              path: router,
              text: '',
              existingFile: router,
              instruction: `Remove declare module '@tanstack/react-router' from it. ${source}routeTree.gen.ts and ${source}server.ts declare the same for @tanstack/react-start, and TypeScript accepts only one of the two.`,
            },
          ]
        : []),
    ],
  };
}

/** Build the setup for React Router. @throws {CommandError} The project does not use framework mode, or React Router is older than 8. */
export function reactRouter(project: Project): Setup {
  const app = sourceFolder(project, ['react-router.config'], 'appDirectory', 'app');
  const root = findFile(project, withExtensions(`${app}root`));
  const routes = findFile(project, withExtensions(`${app}routes`));
  if (root === undefined || routes === undefined)
    throw new CommandError(
      `This project has no ${app}root.tsx or no ${app}routes.ts. init supports only the framework mode of React Router, which needs both. For other setups, see docs/sessions.md in the package.`,
    );
  if (majorVersionOf(project, '@react-router/dev') < 8)
    throw new CommandError(
      'This project uses React Router 7. init supports only React Router 8, where middleware needs no flag. Update React Router, or see docs/sessions.md in the package for use without middleware.',
    );
  const hasFlatRoutes = /\bflatRoutes\b/.test(textIn(project, routes));
  const account = script(project, `${app}routes/account.tsx`, 'account.tsx');
  const notFound = script(project, `${app}routes/${hasFlatRoutes ? '$' : 'not-found'}.ts`, 'not-found.ts');
  const typed = isTypeScript(project);
  return {
    files: [
      script(project, `${app}session.server.ts`, 'session.server.ts'),
      account,
      notFound,
      {
        path: root,
        text: `import { sessionMiddleware } from './session.server';
export const middleware${typed ? ': Route.MiddlewareFunction[]' : ''} = [sessionMiddleware];
`,
        existingFile: root,
        instruction: 'Run the middleware first:',
        donePattern: /\bsessionMiddleware\b/,
      },
      ...(hasFlatRoutes
        ? []
        : [
            {
              path: routes,
              text: `import { ${typed ? 'type RouteConfig, ' : ''}route } from '@react-router/dev/routes';
route('account', '${account.path.slice(app.length)}'),
// Middleware runs only for routes, so /sign-in, /callback and /sign-out need this route.
route('*', '${notFound.path.slice(app.length)}'),
`,
              existingFile: routes,
              instruction: 'Add these routes, with the last one at the end of the list:',
              donePattern: /^(?=[\s\S]*['"]account['"])(?=[\s\S]*['"]\*['"])/,
            },
          ]),
    ],
  };
}
