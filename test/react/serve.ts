import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import express from 'express';
import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { createBrowserClient } from 'sallyport/browser';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { callerOf, expressSession, requireSession, respond } from 'sallyport/express';
import { SessionProvider } from 'sallyport/react';
import { createSessions } from 'sallyport/session';
import { Application } from './application.js';

/** The application, and the service that signs its users in. */
export interface Served {
  readonly url: string;
  readonly emulator: Emulator;
  /** The status of the route that the page requests, or 200 if it works. */
  status: number;
  /** The URL that a callback is redirected to once, as a static host does. */
  moved?: ((url: string) => string) | undefined;
  close(): Promise<void>;
}

const seed = {
  roles: [
    { slug: 'member', permissions: ['reports:read'] },
    { slug: 'editor', permissions: ['reports:read', 'reports:write'] },
  ],
  organizations: [{ id: 'org_acme', name: 'Acme' }],
  users: [
    { id: 'user_ada', email: 'ada@example.com', first_name: 'Ada', email_verified: true, password: 'correct horse' },
  ],
  memberships: [{ id: 'om_ada', user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'member' }],
};

/** Text as the value of an attribute. */
const quoted = (text: string): string => `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;

/** React releases by their folder: our own, and the oldest supported one. */
export const releases: Readonly<Record<string, string>> = { '19': '../..', '18': 'eighteen' };

const scripts = new Map<string, Promise<string | undefined>>();

/** The script of the page, which is built once for each release of React. */
function scriptOf(release: string): Promise<string | undefined> {
  const script = scripts.get(release) ?? buildScript(fileURLToPath(new URL(releases[release]!, import.meta.url)));
  scripts.set(release, script);
  return script;
}

async function buildScript(folder: string): Promise<string | undefined> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    // React's checks, including those for hydration, are only in its development build.
    define: { 'process.env.NODE_ENV': '"development"' },
    alias: { react: `${folder}/node_modules/react`, 'react-dom': `${folder}/node_modules/react-dom` },
    write: false,
  });
  return outputFiles[0]?.text;
}

/** Serve one page twice: at `/` a browser client signs in, and at `/server` this server. */
export async function serve(release = '19'): Promise<Served> {
  const emulator = await createEmulator({ seed });
  const baseUrl = await emulator.listen();
  const script = await scriptOf(release);
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ['/', '/callback', '/server', '/server/callback']) await emulator.addRedirectUri(url + path);

  const { clientId } = emulator.credentials;
  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword: 'at least 32 characters, from a vault',
    redirectUri: `${url}/server/callback`,
  });
  const served: Served = {
    url,
    emulator,
    status: 200,
    async close() {
      await emulator.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
  const html = (attributes: string, body: string): string =>
    `<!doctype html><html lang="en" ${attributes}><link rel="icon" href="data:,"><title>Reports</title>
    <div id="root">${body}</div><script type="module" src="/page.js"></script></html>`;
  app.get('/page.js', (_, res) => void res.type('js').send(script));
  app.get('/api/me', requireSession(sessions, { bearer: true }), (req, res) => void res.send(callerOf(req).userId));
  app.get('/server/session', (_, res, next) => void (served.status === 200 ? next() : res.sendStatus(served.status)));
  const routes = { session: '/server/session', accessToken: '/server/token', callback: '/server/callback' };
  app.use(expressSession(sessions, { routes }));
  app.get('/server', (req, res) => {
    const { session } = req.auth;
    const page = createElement(Application, { signIn: '/server/sign-in', signOut: '/server/sign-out' });
    const props = { session, accessTokenFrom: '/server/token' };
    const body = renderToString(createElement(StrictMode, null, createElement(SessionProvider, props, page)));
    res.send(html(`data-session=${quoted(JSON.stringify(session))}`, body));
  });
  app.get('/server/asking', (_, res) => {
    const body = renderToString(
      createElement(
        SessionProvider,
        { refreshFrom: '/server/session', accessTokenFrom: '/server/token' },
        createElement(Application, { signIn: '/server/sign-in' }),
      ),
    );
    res.send(html('data-session=""', body));
  });
  app.get('/server/sign-in', async (req, res) => {
    respond(res, await sessions.startSignIn(req, { returnTo: '/server' }));
  });
  app.post('/server/sign-out', async (req, res) => {
    respond(res, await sessions.signOut(req, { returnTo: `${url}/server` }));
  });
  app.get('/callback', ({ url, query }, res, next) => {
    const { moved } = served;
    if (!moved || !query.state) return next();
    served.moved = undefined;
    res.redirect(moved(url));
  });
  app.get(['/', '/reports', '/callback'], (_, res) => {
    const client = createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' });
    const body = renderToString(createElement(SessionProvider, { client }, createElement(Application)));
    res.send(html(`data-client-id=${quoted(clientId)} data-base-url=${quoted(baseUrl)}`, body));
  });
  return served;
}
