import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.js';
import { rangeOf } from '../frameworks.js';
import { packageManagerOf } from './package-manager.js';
import {
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
  const { folder, manifest } = project;
  const typed = isTypeScript(project);
  const started = startedFile(manifest.scripts?.dev, typed);
  const entry = findFile(project, [
    ...(started ? [started] : []),
    ...(manifest.main ? [manifest.main] : []),
    ...withExtensions('server', 'app', 'index', 'src/server', 'src/app', 'src/index'),
  ]);
  const hasModules = manifest.type === 'module';
  const isModule = entry === undefined ? hasModules : isModuleFile(entry, textIn(project, entry), hasModules);
  // A new file has the format of the server: TypeScript compiles both, and JavaScript that is not there yet has its extension.
  const [, own] = (typed || entry === undefined ? /\.([cm]?)[jt]s$/ : /$^/).exec(entry ?? started ?? '') ?? [];
  // Otherwise, ES modules need the extension .mjs or .mts unless package.json sets "type": "module".
  const prefix = own ?? (!hasModules && (isModule || typed) ? 'm' : '');
  const extension = prefix + (typed ? 'ts' : 'js');
  const { exec, dlx } = packageManagerOf(folder, manifest);
  const tsx = `${rangeOf(manifest, 'tsx') === undefined ? dlx : exec} tsx`;
  const named = (text: string): string => text.replaceAll('./sallyport.js', `./sallyport.${prefix}js`);
  const isCommonJs = prefix === 'c' || (prefix === '' && !hasModules && !typed);
  const written = (text: string): string => (isCommonJs ? asCommonJs(named(text)) : named(text));
  const commandFor = (file: string): string => `${/tsx?$/.test(file) ? tsx : 'node'} ${file}`;
  const hasSource = (entry ?? started)?.startsWith('src/') ?? existsSync(join(folder, 'src'));
  const wiring = {
    path: `${hasSource ? 'src/' : ''}sallyport.${extension}`,
    text: written(session),
  };
  if (entry === undefined) {
    const path = started ?? `${hasSource ? 'src/' : ''}server.${extension}`;
    return {
      files: [wiring, { path, text: written(server) }],
      command: started ? undefined : commandFor(path),
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
    command: manifest.scripts?.dev ? undefined : commandFor(entry),
  };
}

/** Find the source file that a script such as `tsx watch src/main.ts` starts, if it is in the language of the project. */
function startedFile(script = '', typed: boolean): string | undefined {
  const [, file] = /(?<=^|\s)(?:\.\/)?((?:src\/)?[\w-]+\.[cm]?[jt]s)(?=\s|$)/.exec(script) ?? [];
  return file && /ts$/.test(file) === typed ? file : undefined;
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
