import { type Fields, oneOf, optional, query, string } from '../../../service/describe/define.js';
import { get } from '../../../service/describe/operation.js';
import { exportedSeed } from '../../seed/export.js';
import type { SeedPart } from '../../seed/section.js';
import { text } from '../../server/answer.js';
import { control, type Methods } from '../../server/control.js';
import type { Room } from '../../server/router.js';

const exportOptions = query({
  /** How the seed is written; `yaml` when not given. */
  format: optional(oneOf('yaml', 'json')),
});
/** How a world is written down. */
export interface ExportOptions extends Fields<typeof exportOptions> {}

const exportControlsOf = (parts: () => readonly SeedPart[]) => ({
  /**
   * Write down what is in the world as a seed: planted in a new emulator, it gives the same objects under the same ids, with the
   * hashes of the passwords, and with every secret that a seed can have. What seeds cannot say is named in its first lines. Over HTTP
   * the answer is the file itself.
   */
  export: control(
    get('/_emulator/export', { query: exportOptions, returns: string }),
    ({ world }, { format }: ExportOptions = {}) => exportedSeed(world, parts(), format ?? 'yaml'),
    { answer: (seed: string) => text(seed, `application/${seed.startsWith('{') ? 'json' : 'yaml'}; charset=utf-8`) },
  ),
});

/** Writing down a world as a seed, as far as these parts describe it. */
export const exportRoomOf = (parts: () => readonly SeedPart[]) =>
  ({ routes() {}, controls: exportControlsOf(parts) }) satisfies Room;

/** What a world is written down with. */
export interface ExportControls extends Methods<ReturnType<typeof exportControlsOf>> {}
