import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ConfigurationError } from '../../errors/index.js';

/** Endings of files that are run for the seed that they export. */
const endings = /\.[cm]?[jt]s$/i;

/** Whether a seed file is a module. */
export const isModule = (file: string): boolean => endings.test(file);

/** What a module gives, and the files that it is made of, as far as the runtime says. */
export interface ModuleSeed {
  readonly value: unknown;
  readonly files: readonly string[];
}

/** What went wrong in a module, as it crosses the threads. */
interface Failure {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
}

/** What comes from the thread. */
interface Report {
  readonly value?: unknown;
  readonly failure?: Failure;
  /** Addresses of the modules that were loaded, the seed's own included. */
  readonly urls: readonly string[];
}

/**
 * What runs a module in a thread of its own: loaded anew each time with all that it imports, and gone when it has answered. `eval` in
 * Node takes a script, in other runtimes a module; this is both.
 */
const program = `(async () => {
  const { parentPort, workerData } = await import('node:worker_threads');
  const { registerHooks } = await import('node:module');
  const urls = [];
  registerHooks?.({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')) urls.push(resolved.url);
      return resolved;
    },
  });
  try {
    const { default: given } = await import(workerData);
    parentPort.postMessage({ value: await (typeof given === 'function' ? given() : given), urls });
  } catch (error) {
    const { name, message = String(error), stack, code } = Object(error);
    parentPort.postMessage({ failure: { name, message, stack, code }, urls });
  }
})();`;

/** A module could not be run; `files` are those to correct it in. */
export class ModuleSeedError extends ConfigurationError {
  /** The files of which it is made, as far as they were found. */
  readonly files: readonly string[];

  constructor(file: string, files: readonly string[], why: string, next: string) {
    super('invalid_seed', { what: `The seed ${file} cannot be run`, why, next });
    this.files = files;
  }
}

/** Run a seed file and take what it exports. @throws {ModuleSeedError} */
export async function runModule(file: string): Promise<ModuleSeed> {
  const url = pathToFileURL(resolve(file)).href;
  const { value, failure, urls } = await reportOf(url);
  const files = [...new Set([resolve(file), ...urls.map((one) => fileURLToPath(one))])];
  if (failure) throw new ModuleSeedError(file, files, ...explain(failure, file, url));
  if (value === undefined)
    throw new ModuleSeedError(
      file,
      files,
      'It exports no seed as default, or a function that gives none',
      'Write export default { … }, or export default a function that returns the seed',
    );
  return { value, files };
}

async function reportOf(url: string): Promise<Report> {
  const worker = new Worker(program, { eval: true, workerData: url });
  try {
    return await new Promise<Report>((answer) => {
      worker.once('message', answer);
      worker.once('error', (failure: Failure) => answer({ failure, urls: [] }));
      worker.once('exit', () => answer({ failure: { message: 'It ended the process' }, urls: [] }));
    });
  } finally {
    await worker.terminate();
  }
}

/** Why a module failed, and what to do. */
function explain(failure: Failure, file: string, url: string): readonly [why: string, next: string] {
  const { name = 'Error', message = '', stack = '', code } = failure;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && message.includes('.ts'))
    return [
      `This Node, ${process.version}, does not read TypeScript`,
      'Use Node 22.18 or later, set NODE_OPTIONS="--import tsx" with tsx installed, or write the seed as .mjs or .yaml',
    ];
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return [message, 'Types are only taken away: write what exists at run time, such as enums, in JavaScript'];
  if (name === 'DataCloneError')
    return [`It gives more than JSON can say: ${message}`, 'Give plain objects, lists and texts'];
  const place = placeIn(stack, file, url);
  const what = message.startsWith(name) || name === 'Error' ? message : `${name}: ${message}`;
  return [
    `${what.replace(/\s*\n[\s\S]*/, '')}${place ? ` (${place})` : ''}`,
    place || name !== 'SyntaxError' ? 'Correct it and try again' : `node --check ${file} says where`,
  ];
}

/** Where in a seed's own file something went wrong: `seed.ts:3:10`. */
function placeIn(stack: string, file: string, url: string): string | undefined {
  for (const name of [url, resolve(file)])
    for (const line of stack.split('\n')) {
      const [, place] = line.split(name);
      const position = /^:\d+(?::\d+)?/.exec(place ?? '');
      if (position) return file + position[0];
    }
  return undefined;
}
