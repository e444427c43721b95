import { SallyportError } from '../../errors/index.js';
import type { Codec } from '../../service/describe/codec.js';
import { Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { foundAt } from './check.js';
import { type Seed, seedDescription } from './description.js';
import { type Path, type Problem, SeedProblems } from './problems.js';
import { type Attempt, sections } from './sections.js';

/** Puts a checked seed into a world; `value` is the seed as it was written. @throws {SeedProblems} */
export async function plant(world: World, seed: Seed, value: unknown): Promise<void> {
  for (const name of Object.keys(sections) as (keyof typeof sections)[]) {
    const problems: Problem[] = [];
    let cause: unknown;
    const section = wireName(world.codec, name);
    const attempt: Attempt = async (path, act) => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof SallyportError)) throw error;
        cause ??= error;
        problems.push(...problemsOf(world.codec, error, [section, ...path], value));
        return undefined;
      }
    };
    await plantSection(name, world, seed, attempt);
    // What comes later would be refused for want of what was refused here.
    if (problems.length > 0) throw new SeedProblems(problems, { cause });
  }
}

async function plantSection<K extends keyof typeof sections>(
  name: K,
  world: World,
  seed: Seed,
  attempt: Attempt,
): Promise<void> {
  const entries = seed[name];
  // One name picks section and entries, so they fit; the compiler loses that in the union.
  const plantEntries = sections[name] as (world: World, entries: unknown, attempt: Attempt) => Promise<void>;
  if (entries) await plantEntries(world, entries, attempt);
}

const wireName = (codec: Codec, name: keyof Seed): string => codec.wireNames(name, seedDescription.shape[name])[0]!;

/** What a refusal says of a seed, field by field where it does. */
function problemsOf(codec: Codec, error: SallyportError, path: Path, value: unknown): Problem[] {
  const errors = error instanceof Refusal ? error.fields.errors : undefined;
  if (!Array.isArray(errors)) return [{ path, message: error.message.replace(/\.$/, '') }];
  return errors.map(({ field, message }: { readonly field: string; readonly message: string }) => {
    const at = [...path, ...stepsOf(field)];
    const found = foundAt(codec, value, at);
    // A sentence of its own says already what it is about.
    const isTold = /^[A-Z]/.test(message) || message.includes(found.replace(/^; found "?|"$/g, ''));
    return { path: at, message: isTold ? message : message + found };
  });
}

const stepsOf = (field: string): Path =>
  field === '' ? [] : field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
