import { maxProblems, type Problem, SeedProblems } from './problems.js';

/** Maximum nesting depth of a seed. */
const maxDepth = 64;

/**
 * Maximum number of values in a seed: enough for a million users with 15 fields each. YAML aliases and shared objects can repeat a
 * large value many times.
 */
const maxValues = 20_000_000;

/**
 * Copy a seed, so that the caller cannot change it later. Accepts only JSON values.
 *
 * @throws {SeedProblems}
 */
export function plainCopy(value: unknown): unknown {
  const problems: Problem[] = [];
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();

  const refuse = (kind: string): undefined => {
    if (problems.length <= maxProblems)
      problems.push({ path: [...path], message: `must be a JSON value; found ${kind}` });
  };
  let count = 0;
  const copy = (original: unknown): unknown => {
    if (++count > maxValues) throw new SeedProblems([{ path: [], message: `must have at most ${maxValues} values` }]);
    switch (typeof original) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return original;
      case 'number':
        return Number.isFinite(original) ? original : refuse(String(original));
      case 'object':
        return original === null ? null : copyObject(original);
      default:
        return refuse(`a ${typeof original}`);
    }
  };
  const copyObject = (original: object): unknown => {
    if (ancestors.has(original)) return refuse('an object that contains itself');
    if (path.length > maxDepth) return refuse(`more than ${maxDepth} levels`);
    ancestors.add(original);
    const result = Array.isArray(original) ? original.map((item, at) => copyAt(at, item)) : copyFields(original);
    ancestors.delete(original);
    return result;
  };
  const copyFields = (original: object): unknown => {
    if (!isPlain(original)) return refuse(`a ${original.constructor?.name || 'special object'}`);
    const out: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(original)) {
      if (key === '__proto__') refuse('a field named __proto__');
      else if (item !== undefined) out[key] = copyAt(key, item);
    }
    return out;
  };
  const copyAt = (step: string | number, original: unknown): unknown => {
    path.push(step);
    const result = copy(original);
    path.pop();
    return result;
  };

  const result = copy(value);
  if (problems.length > 0) throw new SeedProblems(problems);
  return result;
}

/** Whether a value is a plain object, from this or another realm. */
function isPlain(value: object): boolean {
  const parent: object | null = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** Freeze a value deeply. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
