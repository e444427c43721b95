import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ConfigurationError } from '../../errors/index.js';

/** Extensions of seed files that are run as modules. */
const extensions = /\.[cm]?[jt]s$/i;

/** Whether a seed file is a module. */
export const isModule = (file: string): boolean => extensions.test(file);

/** The seed of a module, and the files that were loaded, if the runtime reports them. */
interface ModuleSeed {
  readonly value: unknown;
  readonly files: readonly string[];
}

/** Error of a module, in a form that can be sent between threads. */
interface Failure {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
}

/** Message from the worker thread. */
interface Report {
  readonly value?: unknown;
  readonly failure?: Failure;
  /** URLs of the loaded modules, including the seed itself. */
  readonly urls: readonly string[];
}

/**
 * Code of the worker thread that runs a module. Each run starts a new thread, which loads the module and its imports again. The
 * code is valid as a script, for Node's `eval` option, and as a module, for other runtimes.
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
    const { default: exported } = await import(workerData);
    parentPort.postMessage({ value: await (typeof exported === 'function' ? exported() : exported), urls });
  } catch (error) {
    const { name, message = String(error), stack, code } = Object(error);
    parentPort.postMessage({ failure: { name, message, stack, code }, urls });
  }
})();`;

/** A seed module could not be run. A change of one of `files` may fix it. */
export class ModuleSeedError extends ConfigurationError {
  /** The module and its imports, as far as they are known. */
  readonly files: readonly string[];

  constructor(file: string, files: readonly string[], why: string, next: string) {
    super('invalid_seed', { what: `The seed ${file} cannot be run`, why, next });
    this.files = files;
  }
}

/** Run a seed file and return its default export. @throws {ModuleSeedError} */
export async function runModule(file: string): Promise<ModuleSeed> {
  const url = pathToFileURL(resolve(file)).href;
  const { value, failure, urls } = await reportOf(url);
  const files = [...new Set([resolve(file), ...urls.map((one) => fileURLToPath(one))])];
  if (failure) throw new ModuleSeedError(file, files, ...explain(failure, file, url));
  if (value === undefined)
    throw new ModuleSeedError(
      file,
      files,
      'Its default export is not a seed or a function that returns one',
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
      worker.once('exit', () => answer({ failure: { message: 'It ended without returning a seed' }, urls: [] }));
    });
  } finally {
    await worker.terminate();
  }
}

/** Explain why a module failed, and what to do. */
function explain(failure: Failure, file: string, url: string): readonly [why: string, next: string] {
  const { name = 'Error', message = '', stack = '', code } = failure;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && message.includes('.ts'))
    return [
      `Node ${process.version} cannot run TypeScript`,
      'Use Node 22.18 or later, set NODE_OPTIONS="--import tsx" with tsx installed, or write the seed as .mjs or .yaml',
    ];
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return [message, 'Node only strips types. Avoid syntax that generates code, such as enums'];
  if (name === 'DataCloneError')
    return [`Its seed has a value that JSON does not support: ${message}`, 'Use plain objects, arrays and strings'];
  const place = placeIn(stack, file, url);
  const what = message.startsWith(name) || name === 'Error' ? message : `${name}: ${message}`;
  return [
    `${what.replace(/(?<!\s)\s*\n.*/s, '')}${place ? ` (${place})` : ''}`,
    place || name !== 'SyntaxError' ? 'Correct it and try again' : `Run node --check ${file} to find the position`,
  ];
}

/** Find the position of an error in the seed file itself: `seed.ts:3:10`. */
function placeIn(stack: string, file: string, url: string): string | undefined {
  for (const name of [url, resolve(file)])
    for (const line of stack.split('\n')) {
      const [, place] = line.split(name);
      const position = /^:\d+(?::\d+)?/.exec(place ?? '');
      if (position) return file + position[0];
    }
  return undefined;
}
