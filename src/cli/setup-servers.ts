import { rangeOf } from './frameworks.js';
import { Refusal } from './refusal.js';
import {
  anyOf,
  devScript,
  example,
  forAccount,
  isTypeScript,
  type Project,
  present,
  type Setup,
  textIn,
} from './wiring.js';

/** What the servers of a framework take. */
interface Server {
  /** The file that makes the sessions. */
  readonly session: string;
  /** The server to begin with. */
  readonly begin: string;
  /** The line that puts the session into an application. */
  readonly use: string;
  /** What that server imports beside the framework. */
  readonly packages?: readonly string[];
}

/** The files of a server: both where the project has none, or else the one that makes the sessions. */
function serverOf(project: Project, { session, begin, use, packages = [] }: Server): Setup {
  const { manifest } = project;
  // Files are modules by their name where the project does not say that all are.
  const prefix = manifest.type === 'module' ? '' : 'm';
  const extension = prefix + (isTypeScript(project) ? 'ts' : 'js');
  const named = (text: string): string => text.replaceAll('./sallyport.js', `./sallyport.${prefix}js`);
  const commandFor = (file: string): string => `${/tsx?$/.test(file) ? 'npx tsx' : 'node'} ${file}`;
  const server = present(project, [
    ...(manifest.main ? [manifest.main] : []),
    ...anyOf('server', 'app', 'index', 'src/server', 'src/app', 'src/index'),
  ]);
  const wiring = { path: `${server?.startsWith('src/') ? 'src/' : ''}sallyport.${extension}`, text: session };
  const own = { path: `server.${extension}`, text: named(begin) };
  if (server === undefined)
    return {
      files: [wiring, own],
      command: commandFor(own.path),
      packages: packages.filter((name) => rangeOf(manifest, name) === undefined),
    };
  const text = textIn(project, server);
  // What is not a module yet cannot import.
  const isCommonJs = /\brequire\(|\bmodule\.exports\b/.test(text) && !/^import\b/m.test(text);
  const line = isCommonJs
    ? "const { session } = require('./sallyport.js');"
    : "import { session } from './sallyport.js';";
  return {
    files: [
      wiring,
      {
        path: server,
        text: named(`${line}\n\n${use}\n`),
        inPlaceOf: server,
        toAdd: 'Use the session before your routes, where you make the application:',
      },
    ],
    command: manifest.scripts?.dev ? devScript : commandFor(server),
  };
}

/** What a project on Express needs. */
export const express = (project: Project): Setup =>
  serverOf(project, {
    session: forAccount(example('frameworks/express/sallyport.js')),
    begin: example('init/express/server.js'),
    use: 'app.use(session);',
  });

/** What a project on Fastify needs. */
export function fastify(project: Project): Setup {
  const session = example('frameworks/fastify/sallyport.js');
  return serverOf(project, {
    session: isTypeScript(project) ? withTypeOfRequests(session) : session,
    begin: example('init/fastify/server.js'),
    use: 'app.register(session);',
  });
}

/** The text with the type of what the plugin leaves in requests, which Fastify does not know. */
const withTypeOfRequests = (text: string): string =>
  text
    .replace('{ fastifySession }', '{ fastifySession, type WithSession }')
    .replace(/\n\n/, "\n\ndeclare module 'fastify' {\n  interface FastifyRequest extends WithSession {}\n}\n\n");

/** What a project on Hono needs. @throws {Refusal} It is a worker. */
export function hono(project: Project): Setup {
  if (present(project, ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']))
    throw new Refusal(
      'This project is a worker, which gets its settings with each request. Make the sessions there, as examples/frameworks/hono/src/worker.ts of the package does; docs/frameworks.md#hono explains it.',
    );
  return serverOf(project, {
    session: example('init/hono/sallyport.js'),
    begin: example('init/hono/server.js'),
    use: 'app.use(session);',
    packages: ['@hono/node-server'],
  });
}
