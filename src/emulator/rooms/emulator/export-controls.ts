import { type Fields, oneOf, optional, query, string } from '../../../service/describe/define.js';
import { get } from '../../../service/describe/operation.js';
import { text } from '../../http/answer.js';
import { control } from '../../http/control.js';
import { exportedSeed } from '../../seed/export.js';
import type { SeedPart } from '../../seed/section.js';

const exportOptions = query({
  /** Format of the seed; default `yaml`. */
  format: optional(oneOf('yaml', 'json')),
});
/** Options of `export`. */
export interface ExportOptions extends Fields<typeof exportOptions> {}

/** Create the control that exports a world as a seed with these parts. */
export const exportControlsOf = (parts: () => readonly SeedPart[]) => ({
  /**
   * Export the world as a seed, which creates the same objects with the same ids in a new emulator. The seed contains password
   * hashes and other secrets. Its first lines list the data that a seed cannot contain. Over HTTP, the response is the file
   * itself.
   */
  export: control(
    get('/_emulator/export', { query: exportOptions, returns: string }),
    ({ memory }, options: ExportOptions = {}) => exportedSeed(memory, parts(), options.format ?? 'yaml'),
    { answer: (seed: string) => text(seed, `application/${seed.startsWith('{') ? 'json' : 'yaml'}; charset=utf-8`) },
  ),
});
