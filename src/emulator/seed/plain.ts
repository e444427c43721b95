import { maxProblems, type Problem, SeedProblems } from './problems.js';

/** The most levels of a seed. */
const maxDepth = 64;

/** The most values in a seed. Aliases of YAML and references of objects may repeat a large value very often. */
const maxValues = 5_000_000;

/**
 * A copy of what a seed says, which whoever gave it cannot change any more; only what JSON can say is taken.
 *
 * @throws {SeedProblems}
 */
export function plainCopy(value: unknown): unknown {
  const problems: Problem[] = [];
  const path: (string | number)[] = [];
  const around = new Set<object>();

  const refuse = (kind: string): undefined => {
    if (problems.length <= maxProblems)
      problems.push({ path: [...path], message: `must be something that JSON can say; found ${kind}` });
  };
  let count = 0;
  const copy = (own: unknown): unknown => {
    if (++count > maxValues) throw new SeedProblems([{ path: [], message: `must hold at most ${maxValues} values` }]);
    switch (typeof own) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return own;
      case 'number':
        return Number.isFinite(own) ? own : refuse(String(own));
      case 'object':
        return own === null ? null : inside(own);
      default:
        return refuse(`a ${typeof own}`);
    }
  };
  const inside = (own: object): unknown => {
    if (around.has(own)) return refuse('an object that holds itself');
    if (path.length > maxDepth) return refuse(`more than ${maxDepth} levels`);
    around.add(own);
    const result = Array.isArray(own) ? own.map((item, at) => below(at, item)) : fieldsOf(own);
    around.delete(own);
    return result;
  };
  const fieldsOf = (own: object): unknown => {
    if (!isPlain(own)) return refuse(`a ${own.constructor?.name || 'special object'}`);
    const out: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(own)) {
      if (key === '__proto__') refuse('a field of the name __proto__');
      else if (item !== undefined) out[key] = below(key, item);
    }
    return out;
  };
  const below = (step: string | number, own: unknown): unknown => {
    path.push(step);
    const result = copy(own);
    path.pop();
    return result;
  };

  const result = copy(value);
  if (problems.length > 0) throw new SeedProblems(problems);
  return result;
}

/** An object without a class, from whatever realm. */
function isPlain(value: object): boolean {
  const parent: object | null = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** The same value, which nobody can change any more. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}
