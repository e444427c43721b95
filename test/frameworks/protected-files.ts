import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Files = Readonly<Record<string, string>>;

/** Paths that are added to the applications: a page, an API route and a page for a permission. */
export const protectedPaths = ['/private', '/papi', '/strict'] as const;

/** The content of a protected path, which no visitor may see. */
export const markerOf = (path: string): string => `ran ${path}`;

const [page, api, strict] = protectedPaths;

/** Environment variable that makes the rules of an application list each protected path, instead of protecting all but a list. */
export const listedRules = 'LISTED_RULES';

const listed = { protect: [page, api, '/account', '/reports', '/stream', '/password'], open: ['/stream/go'] };

/** The rules of an example, which protect all paths except a list. */
const rulesPattern = /protect: \['\/'\],(\s+)open(?:: (\[[^\]]*\]))?,/;

const permission = `permission: { '${strict}': 'reports:read' },`;

/** Makes the rules depend on the variable. Next's test adds a page that checks the session itself. */
const withBothRules = (source: string, variables: string): string =>
  source.replace(
    rulesPattern,
    (_, blank, open = 'open') =>
      `...(${variables}.${listedRules} ? ${JSON.stringify(listed)} : { protect: ['/'], open: [...${open}, '/recent'] }),${blank}${source.includes('permission:') ? '' : permission}`,
  );

/** Returns a file of an example with some texts replaced. */
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
  if (rulesPattern.test(source))
    source = withBothRules(source, file.endsWith('.js') ? 'process.env' : variablesInTypeScript);
  // The type of a computed key is string.
  return { [file]: source } as Record<File, string>;
}

/** The environment variables, in code that is checked without the types of Node, and on workers, which have none. */
const variablesInTypeScript =
  '((globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {})';
/** A hook that chooses the page after a sign-in for `/welcome`, which the examples do not have. */
const onSignedIn =
  "onSignedIn: ({ returnTo, session }) => (returnTo === '/welcome' ? '/?welcome=' + session.user.email : undefined)";
const hook = { 'createSessions()': `createSessions({ ${onSignedIn} })` };
/** The routes that return the session and its access token to pages, which the examples do not have either. */
const route = { 'routes: true': "routes: { session: '/session', accessToken: '/session/token' }" };

/** Opens a page that SvelteKit and Astro render during the build, when the middleware runs without settings. */
const openPrerendered = { "'/health'": "'/health', '/prerendered', '/de/prerendered'" };

const assets = [
  ['/assets/site.css', 'text/css', 'body { margin: 1em }'],
  ['/assets/site.js', 'text/javascript', 'document.documentElement.dataset.ran = "yes"'],
] as const;

const onExpress = [
  ...protectedPaths.map(
    (path) => `app.all(['${path}', '${path}/*rest'], (_, res) => void res.send('${markerOf(path)}'));\n`,
  ),
  ...assets.map(([path, type, text]) => `app.get('${path}', (_, res) => void res.type('${type}').send('${text}'));\n`),
].join('');
const everyPath = protectedPaths.flatMap((path) => [path, `${path}/*`].map((one) => [one, markerOf(path)] as const));
const onFastify = [
  ...everyPath.map(([path, text]) => `app.all('${path}', async () => '${text}');\n`),
  ...assets.map(
    ([path, type, text]) => `app.get('${path}', async (_, reply) => reply.type('${type}').send('${text}'));\n`,
  ),
].join('');
const onHono = [
  ...everyPath.map(([path, text]) => `app.all('${path}', (c) => c.text('${text}'));\n`),
  ...assets.map(
    ([path, type, text]) => `app.get('${path}', (c) => c.body('${text}', 200, { 'content-type': '${type}' }));\n`,
  ),
].join('');

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

/** A rewritten path that also shows the page, or the API route of TanStack Start. */
export const alias = '/konto';

export const rewrites = `rewrites: async () => [{ source: '${alias}', destination: '${page}' }]`;
const translated = `i18n: { locales: ['en', 'de'], defaultLocale: 'en', fallback: { de: 'en' }, routing: { fallbackType: 'rewrite' } }`;
const rewritten = `rewrite: { input: ({ url }) => { if (url.pathname === '${alias}') url.pathname = '${api}'; return url; } }`;
const routePathOf = `import { getRouter } from './router';

const { rewrite } = getRouter();
const routePathOf = ({ url }: Request) => {
  const target = rewrite?.input?.({ url: new URL(url) });
  return target && new URL(target).pathname;
};
`;

/** A style sheet and a script, which the pages of servers do not have. */
const withAssets = {
  '<title>Harbour</title>':
    '<title>Harbour</title>\n<link rel="stylesheet" href="/assets/site.css">\n<script src="/assets/site.js"></script>',
};

const nextFiles: Files = {
  'app/private/[[...rest]]/page.tsx': jsx(page),
  'app/papi/[[...rest]]/route.ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as GET, answer as POST };\n`,
  'app/strict/page.tsx': jsx(strict),
};

/** The files that add the protected paths to each application, by the folder of its example. */
export const protectedFiles = {
  next: {
    ...edited('next', 'sallyport.ts', hook),
    ...edited('next', 'proxy.ts', { 'permission: {': permission.replace('},', ','), ...route }),
    ...edited('next', 'next.config.ts', { 'cacheComponents: true,': `cacheComponents: true,\n  ${rewrites},` }),
    ...nextFiles,
  },
  express: {
    ...edited('express', 'sallyport.js', { ...route, ...hook }),
    ...edited('express', 'server.js', { 'app.listen(': `${onExpress}app.listen(` }),
    ...edited('express', 'pages.js', withAssets),
  },
  fastify: {
    ...edited('fastify', 'sallyport.js', { ...route, ...hook }),
    ...edited('fastify', 'server.js', { 'app.listen(': `${onFastify}app.listen(` }),
    ...edited('fastify', 'pages.js', withAssets),
  },
  hono: {
    ...edited('hono', 'src/app.ts', {
      ...route,
      'createSessions(settings)': `createSessions({ ...settings, ${onSignedIn} })`,
      'return app;': `${onHono}return app;`,
    }),
    ...edited('hono', 'src/pages.ts', withAssets),
  },
  sveltekit: {
    ...edited('sveltekit', 'src/lib/server/sessions.ts', hook),
    ...edited('sveltekit', 'src/hooks.server.ts', { ...route, ...openPrerendered }),
    // The build has no settings, and follows the links.
    'src/routes/prerendered/+page.ts': 'export const prerender = true;\n',
    'src/routes/prerendered/+page.svelte': '<a href="/sign-in">Sign in</a> <a href="/account">Account</a>\n',
    'src/routes/private/[...rest]/+page.svelte': `<p>${markerOf(page)}</p>\n`,
    'src/routes/private/[...rest]/+page.server.ts': `export const actions = { default: () => ({ ran: '${markerOf(page)}' }) };\n`,
    'src/routes/papi/[...rest]/+server.ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as GET, answer as POST };\n`,
    'src/routes/strict/+page.svelte': `<p>${markerOf(strict)}</p>\n`,
    // Libraries for translated paths do the same.
    'src/hooks.ts': `export const reroute = ({ url }: { url: URL }) => url.pathname.replace(/^\\/(?:en|de)(?=\\/|$)/, '') || '/';\n`,
  },
  nuxt: {
    ...edited('nuxt', 'server/middleware/session.ts', { ...route, ...hook }),
    'app/pages/private/[...rest].vue': `<script setup lang="ts">\ndefinePageMeta({ alias: ['${alias}'] });\n</script>\n\n<template>\n  <p>${markerOf(page)}</p>\n</template>\n`,
    'app/pages/strict.vue': `<template>\n  <p>${markerOf(strict)}</p>\n</template>\n`,
    'server/routes/papi/index.ts': `export default defineEventHandler(() => '${markerOf(api)}');\n`,
    'server/routes/papi/[...rest].ts': `export default defineEventHandler(() => '${markerOf(api)}');\n`,
  },
  astro: {
    ...edited('astro', 'src/middleware.ts', { ...route, ...hook, ...openPrerendered }),
    'src/pages/prerendered.astro': '---\nexport const prerender = true;\n---\n<a href="/sign-in">Sign in</a>\n',
    'src/pages/private/[...rest].astro': `<p>${markerOf(page)}</p>\n`,
    'src/pages/papi/[...rest].ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as GET, answer as POST };\n`,
    'src/pages/strict.astro': `<p>${markerOf(strict)}</p>\n`,
    'src/pages/konto.astro': `---\nreturn Astro.rewrite('${page}');\n---\n`,
    ...edited('astro', 'astro.config.mjs', { "output: 'server',": `output: 'server',\n  ${translated},` }),
  },
  reactRouter: {
    ...edited('react-router', 'app/session.server.ts', { ...route, ...hook }),
    ...edited('react-router', 'app/routes.ts', { "route('*',": `${onReactRouter}route('*',` }),
    'app/routes/private.tsx': reactRouterPage(page),
    'app/routes/papi.ts': `const answer = () => new Response('${markerOf(api)}');\nexport { answer as action, answer as loader };\n`,
    'app/routes/strict.tsx': reactRouterPage(strict),
  },
  tanstackStart: {
    ...edited('tanstack-start', 'src/sessions.ts', hook),
    ...edited('tanstack-start', 'src/server.ts', {
      ...route,
      'fetch: withSession(': 'fetch: (request) => withSession(',
      '  }),\n});': '  })(Object.assign(request, { routePath: routePathOf(request) })),\n});',
      'const answer =': `${routePathOf}\nconst answer =`,
    }),
    ...edited('tanstack-start', 'src/router.tsx', {
      'scrollRestoration: true,': `scrollRestoration: true, ${rewritten},`,
    }),
    'src/routes/private.index.tsx': tanstackPage(page, '/private/'),
    'src/routes/private.$.tsx': tanstackPage(page, '/private/$'),
    'src/routes/papi.index.ts': tanstackApi('/papi/'),
    'src/routes/papi.$.ts': tanstackApi('/papi/$'),
    'src/routes/strict.tsx': tanstackPage(strict, '/strict'),
  },
} as const satisfies Readonly<Record<string, Files>>;
