import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from '../../errors/index.js';

/** Extensions of seed files that are run as modules. */
const extensions = /\.[cm]?[jt]s$/i;

/** Whether a seed file is a module. */
export const isModule = (file: string): boolean => extensions.test(file);

/** Number of modules that were run. A new number in its address makes the runtime run a module again, but not its imports. */
let runs = 0;

/** Run a seed file and return its default export. @throws {ConfigurationError} */
export async function runModule(file: string): Promise<unknown> {
  const path = resolve(file);
  const refusal = (why: string, next: string, cause?: unknown): ConfigurationError =>
    new ConfigurationError('invalid_seed', { what: `The seed ${file} cannot be run`, why, next }, { cause });
  // CommonJS modules are cached by their path alone.
  delete createRequire(path).cache[path];
  let value: unknown;
  try {
    const { default: exported } = await import(/* @vite-ignore */ `${pathToFileURL(path).href}?${++runs}`);
    value = await (typeof exported === 'function' ? exported() : exported);
  } catch (error) {
    throw refusal(...explain(error, file, path), error);
  }
  if (value !== undefined) return value;
  throw refusal(
    'Its default export is not a seed or a function that returns one',
    'Write export default { … }, or export default a function that returns the seed',
  );
}

/** Explain why a module failed, and what to do. */
function explain(error: unknown, file: string, path: string): readonly [why: string, next: string] {
  const { name = 'Error', message = String(error), stack = '', code } = Object(error) as Partial<NodeJS.ErrnoException>;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && message.includes('.ts'))
    return [
      `Node ${process.version} cannot run TypeScript`,
      'Use Node 22.18 or later, set NODE_OPTIONS="--import tsx" with tsx installed, or write the seed as .mjs or .yaml',
    ];
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return [message, 'Node only strips types. Avoid syntax that generates code, such as enums'];
  const place = placeIn(stack, file, path);
  const what = message.startsWith(name) || name === 'Error' ? message : `${name}: ${message}`;
  return [
    `${what.replace(/(?<!\s)\s*\n.*/s, '')}${place ? ` (${place})` : ''}`,
    place || name !== 'SyntaxError' ? 'Correct it and try again' : `Run node --check ${file} to find the position`,
  ];
}

/** Find the position of an error in the seed file itself: `seed.ts:3:10`. */
function placeIn(stack: string, file: string, path: string): string | undefined {
  for (const name of [pathToFileURL(path).href, path])
    for (const line of stack.split('\n')) {
      const [, place] = line.split(name);
      const [, position] = /^(?:\?\d+)?(:\d+(?::\d+)?)/.exec(place ?? '') ?? [];
      if (position) return file + position;
    }
  return undefined;
}
