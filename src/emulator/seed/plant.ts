import { SallyportError } from '../../errors/index.js';
import type { Codec } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { valueHint } from './check.js';
import type { CheckedSeed, SeedDescription } from './description.js';
import { type Path, type Problem, SeedProblems } from './problems.js';
import type { Attempt, Section } from './section.js';

/** A seed that keeps to its description, and `value`, what was written. */
interface Plantable {
  readonly seed: CheckedSeed;
  readonly value: unknown;
  readonly description: SeedDescription;
}

/** Put a checked seed into a world, without events. @throws {SeedProblems} */
export async function plant(world: World, { seed, value, description }: Plantable): Promise<void> {
  const { whole, sections } = description;
  for (const section of sections) {
    const content = seed[section.name];
    if (content === undefined || content === null) continue;
    const entries = [content].flat();
    const problems: Problem[] = [];
    let cause: unknown;
    const name = world.codec.wireNames(section.name, whole.model!.shape[section.name]!)[0]!;
    const attempt: Attempt = async (path, act) => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof SallyportError)) throw error;
        cause ??= error;
        problems.push(...problemsOf(world.codec, whole, error, [name, ...path], value));
        return undefined;
      }
    };
    if (section.plantAll) await section.plantAll(world, entries, attempt);
    else for (const [at, entry] of entries.entries()) await plantEntry(world, section, entry, at, attempt);
    // What comes later would be refused for want of what was refused here.
    if (problems.length > 0) throw new SeedProblems(problems, { cause });
  }
}

/** Plant an entry, then what stands in its fields. */
async function plantEntry(
  world: World,
  { plant, children, entry: { model } }: Section,
  entry: unknown,
  at: number,
  attempt: Attempt,
): Promise<void> {
  const owner = await attempt([at], () => plant!(world, entry));
  if (owner === undefined) return;
  for (const [field, child] of Object.entries(children)) {
    // An entry with children is an object.
    const content = (entry as Readonly<Record<string, unknown>>)[field];
    const path = [at, world.codec.wireNames(field, model!.shape[field]!)[0]!];
    if (Array.isArray(content))
      for (const [i, one] of content.entries()) await attempt([...path, i], () => child.plant(world, one, owner));
    else if (content !== undefined && content !== null) await attempt(path, () => child.plant(world, content, owner));
  }
}

/** What a refusal says of a seed, field by field where it does. */
function problemsOf(codec: Codec, whole: Descriptor, error: SallyportError, path: Path, value: unknown): Problem[] {
  const errors = error instanceof Refusal ? error.fields.errors : undefined;
  if (!Array.isArray(errors)) return [{ path, message: error.message.replace(/\.$/, '') }];
  return errors.map(({ field, message }: { readonly field: string; readonly message: string }) => {
    const at = [...path, ...stepsOf(field)];
    const hint = valueHint(codec, whole, value, at);
    // A sentence of its own says already what it is about.
    const isComplete = /^[A-Z]/.test(message) || message.includes(hint.replace(/^; found "?|"$/g, ''));
    return { path: at, message: isComplete ? message : message + hint };
  });
}

const stepsOf = (field: string): Path =>
  field === '' ? [] : field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
