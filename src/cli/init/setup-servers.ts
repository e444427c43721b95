import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.js';
import { rangeOf } from '../frameworks.js';
import { packageManagerOf } from './package-manager.js';
import { findFile, isTypeScript, type Project, type Setup, template, textIn, withExtensions } from './wiring.js';

/**
 * Build the setup for Express and Fastify, and for Hono with the package of its server. If the project already has a server, init
 * writes only the file that creates the sessions. A complete server imports `packages` besides the framework.
 */
export function serverOf(project: Project, packages: readonly string[] = []): Setup {
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
  const isCommonJs = prefix === 'c' || (prefix === '' && !hasModules && !typed);
  const textOf = (name: string, commonJs: boolean): string =>
    template(project, ...(typed ? [`${name}.ts`] : []), `${name}.${commonJs ? 'cjs' : 'js'}`).replaceAll(
      './sallyport.js',
      `./sallyport.${prefix}js`,
    );
  const commandFor = (file: string): string => `${/tsx?$/.test(file) ? tsx : 'node'} ${file}`;
  const hasSource = (entry ?? started)?.startsWith('src/') ?? existsSync(join(folder, 'src'));
  const wiring = {
    path: `${hasSource ? 'src/' : ''}sallyport.${extension}`,
    text: textOf('sallyport', isCommonJs),
  };
  if (entry === undefined) {
    const path = started ?? `${hasSource ? 'src/' : ''}server.${extension}`;
    return {
      files: [wiring, { path, text: textOf('server', isCommonJs) }],
      command: started ? undefined : commandFor(path),
      packages: packages.filter((name) => rangeOf(manifest, name) === undefined),
    };
  }
  return {
    files: [
      wiring,
      {
        path: entry,
        text: textOf('added', !isModule),
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

/** Build the setup for Hono. @throws {CommandError} The project is a Cloudflare Worker. */
export function hono(project: Project): Setup {
  if (findFile(project, ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']))
    throw new CommandError(
      'This project is a Cloudflare Worker, which receives its settings with each request. Create the sessions in its fetch handler, as in examples/frameworks/hono/src/worker.ts of the package. See docs/frameworks/hono.md.',
    );
  return serverOf(project, ['@hono/node-server']);
}
