import { CommandError } from '../command-error.js';
import { rangeOf } from '../frameworks.js';
import {
  devScript,
  example,
  findFile,
  isTypeScript,
  linesMatching,
  type Project,
  type Setup,
  textIn,
  withExtensions,
  withoutOtherPages,
} from './wiring.js';

/** The files for a server framework. */
interface Server {
  /** Text of the file that creates the sessions. */
  readonly session: string;
  /** Text of a complete server, for a project that has none. */
  readonly server: string;
  /** Packages that the complete server imports besides the framework. */
  readonly packages?: readonly string[];
}

/** Choose the files for a project. If it already has a server, init writes only the file that creates the sessions. */
function serverOf(project: Project, { session, server, packages = [] }: Server): Setup {
  const { manifest } = project;
  const entry = findFile(project, [
    ...(manifest.main ? [manifest.main] : []),
    ...withExtensions('server', 'app', 'index', 'src/server', 'src/app', 'src/index'),
  ]);
  const hasModules = manifest.type === 'module';
  const isModule = entry === undefined ? hasModules : isModuleFile(entry, textIn(project, entry), hasModules);
  // ES modules need the extension .mjs or .mts unless package.json sets "type": "module".
  const prefix = !hasModules && (isModule || isTypeScript(project)) ? 'm' : '';
  const extension = prefix + (isTypeScript(project) ? 'ts' : 'js');
  const named = (text: string): string => text.replaceAll('./sallyport.js', `./sallyport.${prefix}js`);
  const written = (text: string): string => (prefix || hasModules ? named(text) : asCommonJs(text));
  const commandFor = (file: string): string => `${/tsx?$/.test(file) ? 'npx tsx' : 'node'} ${file}`;
  const wiring = {
    path: `${entry?.startsWith('src/') ? 'src/' : ''}sallyport.${extension}`,
    text: written(session),
  };
  if (entry === undefined) {
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
        path: entry,
        text: isModule ? lines : asCommonJs(lines),
        existingFile: entry,
        instruction: 'After creating the app, use the session before your routes, and add a page:',
      },
    ],
    command: manifest.scripts?.dev ? devScript : commandFor(entry),
  };
}

/** Check whether a file is an ES module rather than CommonJS. */
function isModuleFile(path: string, text: string, hasModules: boolean): boolean {
  const [, format] = path.match(/\.([cm])[jt]s$/) ?? [];
  if (format) return format === 'm';
  return /^import\b/m.test(text) || (hasModules && !/\brequire\(|\bmodule\.exports\b/.test(text));
}

/** Convert an ES module to CommonJS. */
function asCommonJs(text: string): string {
  const names = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
  const required = text
    .replace(/^import ([\w{}*, ]+) from ('[^']+');$/gm, 'const $1 = require($2);')
    .replace(/^export (?=const)/gm, '');
  return names.length === 0 ? required : `${required}\nmodule.exports = { ${names.join(', ')} };\n`;
}

/** Extract the lines of a server that use the session and serve /account, with their imports. */
function linesToAdd(server: string): string {
  const use = linesMatching(server, /^app\.\w+\(session\);/);
  const [page = ''] = server.match(/^app\.get\('\/account'.*\n(?:(?!app\.|\}).*\n)*\}\);\n/m) ?? [];
  const body = `${use}\n${page}`;
  const imports = [...server.matchAll(/^import \{ (\w+) \} from .*\n/gm)]
    .filter(([, name]) => new RegExp(`\\b${name}\\b`).test(body))
    .map(([line]) => line);
  return `${imports.join('')}\n${body}`;
}

/** Build the setup for Express. */
export const express = (project: Project): Setup =>
  serverOf(project, {
    session: withoutOtherPages(example('frameworks/express/sallyport.js')),
    server: example('init/express/server.js'),
  });

/** Build the setup for Fastify. */
export function fastify(project: Project): Setup {
  const session = withoutOtherPages(example('frameworks/fastify/sallyport.js'));
  return serverOf(project, {
    session: isTypeScript(project) ? withRequestType(session) : session,
    server: example('init/fastify/server.js'),
  });
}

/** Declare the properties that the plugin adds to Fastify requests. */
const withRequestType = (text: string): string =>
  text
    .replace('{ fastifySession }', '{ fastifySession, type WithSession }')
    .replace(/\n\n/, "\n\ndeclare module 'fastify' {\n  interface FastifyRequest extends WithSession {}\n}\n\n");

/** Build the setup for Hono. @throws {CommandError} The project is a Cloudflare Worker. */
export function hono(project: Project): Setup {
  if (findFile(project, ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']))
    throw new CommandError(
      'This project is a Cloudflare Worker, which receives its settings with each request. Create the sessions in its fetch handler, as in examples/frameworks/hono/src/worker.ts of the package. See docs/frameworks/hono.md.',
    );
  return serverOf(project, {
    session: example('init/hono/sallyport.js'),
    server: example('init/hono/server.js'),
    packages: ['@hono/node-server'],
  });
}
