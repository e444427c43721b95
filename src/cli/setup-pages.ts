import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { majorOf, rangeOf } from './frameworks.js';
import { Refusal } from './refusal.js';
import {
  anyOf,
  devScript,
  example,
  forAccount,
  isTypeScript,
  linesWith,
  type Project,
  present,
  type Setup,
  script,
  textIn,
} from './wiring.js';

/** What a project on Next needs. @throws {Refusal} It has not the App Router. */
export function next(project: Project): Setup {
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

/** What a project on SvelteKit needs. */
export function sveltekit(project: Project): Setup {
  const hooks = forAccount(example('frameworks/sveltekit/src/hooks.server.ts'));
  // The types of hooks moved in SvelteKit 3.
  const isOld = (majorOf(rangeOf(project.manifest, '@sveltejs/kit')) ?? 3) < 3;
  return {
    files: [
      script(project, 'src/lib/server/sessions.ts', example('frameworks/sveltekit/src/lib/server/sessions.ts')),
      {
        ...script(
          project,
          'src/hooks.server.ts',
          isOld ? hooks.replace('@sveltejs/kit/hooks', '@sveltejs/kit') : hooks,
        ),
        inPlaceOf: present(project, anyOf('src/hooks.server')),
        toAdd: 'Put this handle before yours by sequence of @sveltejs/kit/hooks:',
      },
      // Beside app.d.ts, which every project has: declarations of the same name are one.
      ...(isTypeScript(project)
        ? [{ path: 'src/sallyport.d.ts', text: example('frameworks/sveltekit/src/app.d.ts') }]
        : []),
      script(
        project,
        'src/routes/account/+page.server.ts',
        example('init/sveltekit/src/routes/account/+page.server.ts'),
      ),
      script(project, 'src/routes/account/+page.svelte', example('init/sveltekit/src/routes/account/+page.svelte')),
    ],
    command: devScript,
  };
}

/** What a project on Nuxt needs. */
export const nuxt = (project: Project): Setup => ({
  files: [
    script(project, 'server/middleware/session.ts', example('frameworks/nuxt/server/middleware/session.ts')),
    script(project, 'server/routes/account.get.ts', example('init/nuxt/server/routes/account.get.ts')),
  ],
  command: devScript,
});

/** What a project on Astro needs. */
export function astro(project: Project): Setup {
  const config = present(project, anyOf('astro.config'));
  const written = example('frameworks/astro/astro.config.mjs').replace(
    /^(?:import node| *adapter| *prefetch).*\n/gm,
    '',
  );
  return {
    files: [
      {
        ...script(project, 'src/middleware.ts', example('frameworks/astro/src/middleware.ts')),
        inPlaceOf: present(project, anyOf('src/middleware', 'src/middleware/index')),
        toAdd: 'Put this onRequest before yours by sequence of astro:middleware:',
      },
      ...(isTypeScript(project)
        ? [
            {
              path: 'src/env.d.ts',
              text: example('frameworks/astro/src/env.d.ts'),
              inPlaceOf: present(project, ['src/env.d.ts']),
              toAdd: 'Declare in it what pages find in locals:',
            },
          ]
        : []),
      {
        path: config ?? 'astro.config.mjs',
        text: config === undefined ? written : linesWith(written, /output:/),
        inPlaceOf: config,
        toAdd:
          'Have pages rendered when they are asked for; to build, it also takes an adapter, as npx astro add node adds one:',
        done: /\boutput: *['"]server['"]/,
      },
      { path: 'src/pages/account.astro', text: example('init/astro/src/pages/account.astro') },
    ],
    command: devScript,
  };
}

/** What a project on TanStack Start needs. */
export function tanstackStart(project: Project): Setup {
  const router = present(project, anyOf('src/router'));
  const isDeclaredTwice =
    router !== undefined && /declare module ['"]@tanstack\/react-router['"]/.test(textIn(project, router));
  return {
    files: [
      script(project, 'src/sessions.ts', example('frameworks/tanstack-start/src/sessions.ts')),
      {
        ...script(project, 'src/server.ts', example('frameworks/tanstack-start/src/server.ts')),
        inPlaceOf: present(project, anyOf('src/server')),
        toAdd: 'Have it answer with what withSession gives, and pass on who is signed in:',
      },
      script(project, 'src/routes/account.tsx', example('init/tanstack-start/src/routes/account.tsx')),
      ...(isDeclaredTwice
        ? [
            {
              path: router,
              text: '',
              inPlaceOf: router,
              toAdd:
                "Remove declare module '@tanstack/react-router' from it: src/routeTree.gen.ts and src/server.ts declare the same for @tanstack/react-start, and the compiler takes one alone.",
            },
          ]
        : []),
    ],
    command: devScript,
  };
}

/** What a project on React Router needs. @throws {Refusal} It is not in framework mode, or of an older version. */
export function reactRouter(project: Project): Setup {
  const root = present(project, anyOf('app/root'));
  const routes = present(project, anyOf('app/routes'));
  if (root === undefined || routes === undefined)
    throw new Refusal(
      'This project has no app/root.tsx and app/routes.ts. init writes files for React Router in framework mode, where these are; docs/sessions.md of the package says what sallyport/session does elsewhere.',
    );
  if ((majorOf(rangeOf(project.manifest, '@react-router/dev')) ?? 8) < 8)
    throw new Refusal(
      'This project is on React Router 7, and init writes files for React Router 8, which has middleware without a flag. Update it, or see docs/sessions.md of the package for what sallyport/session does without middleware.',
    );
  const isByFiles = /\bflatRoutes\b/.test(textIn(project, routes));
  const account = script(project, 'app/routes/account.tsx', example('init/react-router/app/routes/account.tsx'));
  const notFound = script(
    project,
    isByFiles ? 'app/routes/$.ts' : 'app/routes/not-found.ts',
    example('frameworks/react-router/app/routes/not-found.ts'),
  );
  const linesOf = (path: string, pattern: RegExp): string =>
    script(project, path, linesWith(example(`frameworks/react-router/${path}`), pattern)).text;
  return {
    files: [
      script(project, 'app/session.server.ts', example('frameworks/react-router/app/session.server.ts')),
      account,
      notFound,
      {
        path: root,
        text: linesOf('app/root.tsx', /sessionMiddleware/).replace('authContext, ', ''),
        inPlaceOf: root,
        toAdd: 'Run the middleware first:',
        done: /\bsessionMiddleware\b/,
      },
      ...(isByFiles
        ? []
        : [
            {
              path: routes,
              text: linesOf('app/routes.ts', /^import|'account'|'\*'|\/\//)
                .replace('index, ', '')
                .replace('routes/account.tsx', account.path.slice('app/'.length))
                .replace('routes/not-found.ts', notFound.path.slice('app/'.length)),
              inPlaceOf: routes,
              toAdd: 'Add these routes, the last one at the end:',
              done: /^(?=[\s\S]*['"]account['"])(?=[\s\S]*['"]\*['"])/,
            },
          ]),
    ],
    command: devScript,
  };
}
