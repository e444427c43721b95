import type { RequestProblem } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';

/** The external id and metadata that callers attach to an object. */
interface LabelFields {
  readonly externalId?: string | null | undefined;
  readonly metadata?: LabelChanges;
}

/** Changes to metadata. A null value removes a key. Null instead of an object removes all keys. */
type LabelChanges = Readonly<Record<string, string | null>> | null | undefined;

/** Apply changes to metadata. Omitted keys stay unchanged. */
export const labelsAfter = (
  before: Readonly<Record<string, string>> | null,
  changes: LabelChanges,
): Readonly<Record<string, string>> => {
  const after = changes === null ? [] : Object.entries({ ...before, ...changes });
  return Object.fromEntries(after.filter((entry): entry is [string, string] => entry[1] !== null));
};

const maximum = { externalId: 128, metadataKeys: 50, metadataValue: 600 };

/** Report an external id or metadata beyond the limits. Some dialects have no limits. */
export function* wrongLabels(memory: Memory, { externalId, metadata }: LabelFields): Generator<RequestProblem> {
  if (!memory.settings.dialect.isPublicService) return;
  if (externalId === '' || (externalId?.length ?? 0) > maximum.externalId)
    yield { field: 'external_id', code: 'out_of_range', message: `must have 1 to ${maximum.externalId} characters` };
  const entries = Object.entries(metadata ?? {});
  if (entries.length > maximum.metadataKeys)
    yield { field: 'metadata', code: 'out_of_range', message: `must have at most ${maximum.metadataKeys} keys` };
  for (const [key, value] of entries)
    if (value !== null && value.length > maximum.metadataValue)
      yield {
        field: `metadata.${key}`,
        code: 'out_of_range',
        message: `must have at most ${maximum.metadataValue} characters`,
      };
}
