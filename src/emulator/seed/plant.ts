import { SallyportError } from '../../errors/index.js';
import { EmulatorRefusal } from '../store/refusal.js';
import type { Memory } from '../world/memory.js';
import type { CheckedSeed, SeedDescription } from './description.js';
import { maxProblems, type Path, type Problem, SeedProblems } from './problems.js';
import type { Section, Try } from './section.js';

/** A checked seed with its description. */
interface Plantable {
  readonly seed: CheckedSeed;
  readonly description: SeedDescription;
}

/** Plant a checked seed in a world, without emitting events. @throws {SeedProblems} */
export async function plant(memory: Memory, { seed, description }: Plantable): Promise<void> {
  const { whole, sections } = description;
  for (const section of sections) {
    const content = seed[section.name];
    if (content === undefined || content === null) continue;
    const entries = [content].flat();
    const problems: Problem[] = [];
    const name = memory.codec.wireNames(section.name, whole.model!.shape[section.name]!)[0]!;
    const attempt: Try = async (path, act) => {
      if (problems.length > maxProblems) return undefined;
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof SallyportError)) throw error;
        // A refusal lists at most 100 problems, so spreading them is safe.
        problems.push(...problemsOf(error, [name, ...path]));
        return undefined;
      }
    };
    if (section.plantAll) await section.plantAll(memory, entries, attempt);
    else for (const [at, entry] of entries.entries()) await plantEntry(memory, section, entry, at, attempt);
    // Stop here, because later sections may depend on this one. Refusals quote values, so they are not kept as a cause.
    if (problems.length > 0) throw new SeedProblems(problems);
  }
}

/** Plant an entry, then its children. */
async function plantEntry(
  memory: Memory,
  { plant, children, entry: { model } }: Section,
  entry: unknown,
  at: number,
  attempt: Try,
): Promise<void> {
  const owner = await attempt([at], () => plant!(memory, entry));
  if (owner === undefined) return;
  for (const [field, child] of Object.entries(children)) {
    // An entry with children is an object.
    const content = (entry as Readonly<Record<string, unknown>>)[field];
    const path = [at, memory.codec.wireNames(field, model!.shape[field]!)[0]!];
    if (Array.isArray(content))
      for (const [i, one] of content.entries()) await attempt([...path, i], () => child.plant(memory, one, owner));
    else if (content !== undefined && content !== null) await attempt(path, () => child.plant(memory, content, owner));
  }
}

/** Convert a refusal to problems, one per field if it names fields. */
function problemsOf(error: SallyportError, path: Path): Problem[] {
  const errors = error instanceof EmulatorRefusal ? error.fields.errors : undefined;
  if (!Array.isArray(errors)) return [{ path, message: hideQuotedValues(error.message).replace(/\.$/, '') }];
  return errors.map(({ field, message }: { readonly field: string; readonly message: string }) => ({
    path: [...path, ...stepsOf(field)],
    message: hideQuotedValues(message),
  }));
}

/** Hide the quoted values in a message, because one may be a misplaced secret. */
const hideQuotedValues = (message: string): string => message.replace(/"(?:[^"\\]|\\.)*"?/gs, '"…"');

const stepsOf = (field: string): Path =>
  field === '' ? [] : field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
