import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Files = Readonly<Record<string, string>>;

/** Addresses that the applications get besides their own: a page, an API route and a page for a permission. */
export const protectedPaths = ['/private', '/papi', '/strict'] as const;

/** What a handler at a protected path answers. No stranger ever sees it. */
export const markerOf = (path: string): string => `ran ${path}`;

const [page, api, strict] = protectedPaths;

/** A file of an example with texts in it replaced. */
function edited<File extends string>(
  folder: string,
  file: File,
  replacements: Readonly<Record<string, string>>,
): Readonly<Record<File, string>> {
  let source = readFileSync(join(import.meta.dirname, '../../examples/frameworks', folder, file), 'utf8');
  for (const [text, replacement] of Object.entries(replacements)) {
    if (!source.includes(text)) throw new Error(`${folder}/${file} does not contain ${text}`);
    source = source.replace(text, () => replacement);
  }
  // A computed key widens to string.
  return { [file]: source } as Record<File, string>;
}

const protect = `protect: ['${page}', '${api}', `;
const permission = `permission: { '${strict}': 'docs:plan' }, `;
const both = permission + protect;
/** A hook that chooses the page after a sign-in for `/welcome`, which the examples do not have. */
const onSignedIn =
  "onSignedIn: ({ returnTo, session }) => (returnTo === '/welcome' ? '/?welcome=' + session.user.email : undefined)";
const hook = { 'createSessions()': `createSessions({ ${onSignedIn} })` };
/** The route that gives pages their access token, which the examples do not have either. */
const route = { 'routes: true': "routes: { accessToken: '/session/token' }" };

const onExpress = protectedPaths
  .map((path) => `app.all(['${path}', '${path}/*rest'], (_, res) => void res.send('${markerOf(path)}'));\n`)
  .join('');
const onFastify = protectedPaths
  .flatMap((path) => [path, `${path}/*`].map((one) => `app.all('${one}', async () => '${markerOf(path)}');\n`))
  .join('');
const onHono = protectedPaths
  .flatMap((path) => [path, `${path}/*`].map((one) => `app.all('${one}', (c) => c.text('${markerOf(path)}'));\n`))
  .join('');

const jsx = (path: string): string => `export default function Page() {\n  return <p>{'${markerOf(path)}'}</p>;\n}\n`;
const tanstackPage = (path: string, address: string): string =>
  `import { createFileRoute } from '@tanstack/react-router';
export const Route = createFileRoute('${address}')({ component: () => <p>{'${markerOf(path)}'}</p> });
`;
const tanstackApi = (address: string): string =>
  `import { createFileRoute } from '@tanstack/react-router';
const answer = () => new Response('${markerOf(api)}');
export const Route = createFileRoute('${address}')({ server: { handlers: { GET: answer, POST: answer } } });
`;
const reactRouterPage = (path: string): string => `export const action = () => '${markerOf(path)}';\n${jsx(path)}`;

const onReactRouter =
  "route('private/*', 'routes/private.tsx'), route('papi/*', 'routes/papi.ts'), route('strict', 'routes/strict.tsx'), ";

const nextFiles: Files = {
  'app/private/[[...rest]]/page.tsx': jsx(page),
  'app/papi/[[...rest]]/route.ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as GET, answer as POST };\n`,
  'app/strict/page.tsx': jsx(strict),
};

/** The files that add the protected paths to each application, by the folder of its example. */
export const protectedFiles = {
  next: {
    ...edited('next', 'sallyport.ts', hook),
    ...edited('next', 'proxy.ts', {
      'protect: [': protect,
      'permission: {': `permission: { '${strict}': 'docs:plan',`,
      ...route,
    }),
    ...nextFiles,
  },
  express: {
    ...edited('express', 'sallyport.js', { 'protect: [': both, ...route, ...hook }),
    ...edited('express', 'server.js', { 'app.listen(': `${onExpress}app.listen(` }),
  },
  fastify: {
    ...edited('fastify', 'sallyport.js', { 'protect: [': both, ...route, ...hook }),
    ...edited('fastify', 'server.js', { 'app.listen(': `${onFastify}app.listen(` }),
  },
  hono: edited('hono', 'src/app.ts', {
    'protect: [': both,
    ...route,
    'createSessions(settings)': `createSessions({ ...settings, ${onSignedIn} })`,
    'return app;': `${onHono}return app;`,
  }),
  sveltekit: {
    ...edited('sveltekit', 'src/lib/server/sessions.ts', hook),
    ...edited('sveltekit', 'src/hooks.server.ts', { 'protect: [': both, ...route }),
    'src/routes/private/[...rest]/+page.svelte': `<p>${markerOf(page)}</p>\n`,
    'src/routes/private/[...rest]/+page.server.ts': `export const actions = { default: () => ({ ran: '${markerOf(page)}' }) };\n`,
    'src/routes/papi/[...rest]/+server.ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as GET, answer as POST };\n`,
    'src/routes/strict/+page.svelte': `<p>${markerOf(strict)}</p>\n`,
  },
  nuxt: {
    ...edited('nuxt', 'server/middleware/session.ts', { 'protect: [': both, ...route, ...hook }),
    'app/pages/private/[...rest].vue': `<template>\n  <p>${markerOf(page)}</p>\n</template>\n`,
    'app/pages/strict.vue': `<template>\n  <p>${markerOf(strict)}</p>\n</template>\n`,
    'server/routes/papi/index.ts': `export default defineEventHandler(() => '${markerOf(api)}');\n`,
    'server/routes/papi/[...rest].ts': `export default defineEventHandler(() => '${markerOf(api)}');\n`,
  },
  astro: {
    ...edited('astro', 'src/middleware.ts', { 'protect: [': both, ...route, ...hook }),
    'src/pages/private/[...rest].astro': `<p>${markerOf(page)}</p>\n`,
    'src/pages/papi/[...rest].ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as GET, answer as POST };\n`,
    'src/pages/strict.astro': `<p>${markerOf(strict)}</p>\n`,
  },
  reactRouter: {
    ...edited('react-router', 'app/session.server.ts', { 'protect: [': both, ...route, ...hook }),
    ...edited('react-router', 'app/routes.ts', { "route('*',": `${onReactRouter}route('*',` }),
    'app/routes/private.tsx': reactRouterPage(page),
    'app/routes/papi.ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as action, answer as loader };\n`,
    'app/routes/strict.tsx': reactRouterPage(strict),
  },
  tanstackStart: {
    ...edited('tanstack-start', 'src/sessions.ts', hook),
    ...edited('tanstack-start', 'src/server.ts', { 'protect: [': both, ...route }),
    'src/routes/private.index.tsx': tanstackPage(page, '/private/'),
    'src/routes/private.$.tsx': tanstackPage(page, '/private/$'),
    'src/routes/papi.index.ts': tanstackApi('/papi/'),
    'src/routes/papi.$.ts': tanstackApi('/papi/$'),
    'src/routes/strict.tsx': tanstackPage(strict, '/strict'),
  },
} as const satisfies Readonly<Record<string, Files>>;
