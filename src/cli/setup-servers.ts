import { rangeOf } from './frameworks.js';
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
  textIn,
} from './wiring.js';

/** The files for the servers of a framework. */
interface Server {
  /** The file that makes the sessions. */
  readonly session: string;
  /** A whole server, for a project that has none. */
  readonly server: string;
  /** Packages that the whole server imports besides the framework. */
  readonly packages?: readonly string[];
}

/** Choose the files for a project. If it has a server already, it gets only the file that makes the sessions. */
function serverOf(project: Project, { session, server, packages = [] }: Server): Setup {
  const { manifest } = project;
  const own = present(project, [
    ...(manifest.main ? [manifest.main] : []),
    ...anyOf('server', 'app', 'index', 'src/server', 'src/app', 'src/index'),
  ]);
  const hasModules = manifest.type === 'module';
  const isModule = own === undefined ? hasModules : isModuleFile(own, textIn(project, own), hasModules);
  // A module needs the extension .mjs or .mts unless package.json says that all files are modules.
  const prefix = !hasModules && (isModule || isTypeScript(project)) ? 'm' : '';
  const extension = prefix + (isTypeScript(project) ? 'ts' : 'js');
  const named = (text: string): string => text.replaceAll('./sallyport.js', `./sallyport.${prefix}js`);
  const written = (text: string): string => (prefix || hasModules ? named(text) : asCommonJs(text));
  const commandFor = (file: string): string => `${/tsx?$/.test(file) ? 'npx tsx' : 'node'} ${file}`;
  const wiring = {
    path: `${own?.startsWith('src/') ? 'src/' : ''}sallyport.${extension}`,
    text: written(session),
  };
  if (own === undefined) {
    const path = `server.${extension}`;
    return {
      files: [wiring, { path, text: written(server) }],
      command: commandFor(path),
      packages: packages.filter((name) => rangeOf(manifest, name) === undefined),
    };
  }
  const lines = linesToAdd(named(server));
  return {
    files: [
      wiring,
      {
        path: own,
        text: isModule ? lines : asCommonJs(lines),
        inPlaceOf: own,
        toAdd: 'Where you make the application, use the session before your routes, and add a page to open:',
      },
    ],
    command: manifest.scripts?.dev ? devScript : commandFor(own),
  };
}

/** Whether a file is a module, which imports, or is in CommonJS, which requires. */
function isModuleFile(path: string, text: string, hasModules: boolean): boolean {
  const [, format] = path.match(/\.([cm])[jt]s$/) ?? [];
  if (format) return format === 'm';
  return /^import\b/m.test(text) || (hasModules && !/\brequire\(|\bmodule\.exports\b/.test(text));
}

/** The text of a module in CommonJS. */
function asCommonJs(text: string): string {
  const names = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
  const required = text
    .replace(/^import (.+) from ('.+');$/gm, 'const $1 = require($2);')
    .replace(/^export (?=const)/gm, '');
  return names.length === 0 ? required : `${required}\nmodule.exports = { ${names.join(', ')} };\n`;
}

/** The lines of a server that use the session and answer /account, with their imports. */
function linesToAdd(server: string): string {
  const use = linesWith(server, /^app\.\w+\(session\);/);
  const [page = ''] = server.match(/^app\.get\('\/account'[\s\S]*?^\}\);\n/m) ?? [];
  const body = `${use}\n${page}`;
  const imports = [...server.matchAll(/^import \{ (\w+) \} from .*\n/gm)]
    .filter(([, name]) => new RegExp(`\\b${name}\\b`).test(body))
    .map(([line]) => line);
  return `${imports.join('')}\n${body}`;
}

/** What a project on Express needs. */
export const express = (project: Project): Setup =>
  serverOf(project, {
    session: forAccount(example('frameworks/express/sallyport.js')),
    server: example('init/express/server.js'),
  });

/** What a project on Fastify needs. */
export function fastify(project: Project): Setup {
  const session = example('frameworks/fastify/sallyport.js');
  return serverOf(project, {
    session: isTypeScript(project) ? withTypeOfRequests(session) : session,
    server: example('init/fastify/server.js'),
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
    server: example('init/hono/server.js'),
    packages: ['@hono/node-server'],
  });
}
