import type { RequestProblem } from '../../world/refusal.js';
import type { World } from '../../world/world.js';

/** What callers may attach to an object of theirs. */
export interface LabelFields {
  readonly externalId?: string | null | undefined;
  readonly metadata?: LabelChanges;
}

/** A change of labels; null takes one away, or all of them. */
type LabelChanges = Readonly<Record<string, string | null>> | null | undefined;

/** Labels after a change: those that it does not name stay as they are. */
export const labelsAfter = (
  before: Readonly<Record<string, string>> | null,
  changes: LabelChanges,
): Readonly<Record<string, string>> => {
  const after = changes === null ? [] : Object.entries({ ...before, ...changes });
  return Object.fromEntries(after.filter((entry): entry is [string, string] => entry[1] !== null));
};

const most = { externalId: 128, metadataKeys: 50, metadataValue: 600 };

/** What is wrong with an external id and labels, by their wire names; nothing in a dialect that has no limits. */
export function* wrongLabels(world: World, { externalId, metadata }: LabelFields): Generator<RequestProblem> {
  if (!world.settings.dialect.labelLimits) return;
  if (externalId === '' || (externalId?.length ?? 0) > most.externalId)
    yield { field: 'external_id', code: 'out_of_range', message: `must have 1 to ${most.externalId} characters` };
  const entries = Object.entries(metadata ?? {});
  if (entries.length > most.metadataKeys)
    yield { field: 'metadata', code: 'out_of_range', message: `must have at most ${most.metadataKeys} keys` };
  for (const [key, value] of entries)
    if (value !== null && value.length > most.metadataValue)
      yield {
        field: `metadata.${key}`,
        code: 'out_of_range',
        message: `must have at most ${most.metadataValue} characters`,
      };
}
