import { between, body } from '../../../service/describe/define.js';
import { put } from '../../../service/describe/operation.js';
import { control, type Methods } from '../../server/control.js';
import { setLag } from './warrant-tokens.js';

const fgaLag = body({
  /** Milliseconds, at most a day; 0 for none. */
  lagMs: between(0, 86_400_000),
});

export const fgaControls = {
  /**
   * Let checks and queries lag behind: without a token they see the warrants as they were so many milliseconds ago, by the
   * clock. With the token of a write they see at least that write, with `latest` all.
   *
   * @throws {Refusal} 422 unless it is an integer from 0 to a day.
   */
  setFgaLag: control(put('/_emulator/fga/lag', { body: fgaLag }), ({ world }, lagMs: number) => setLag(world, lagMs), {
    positional: ['lagMs'],
  }),
};

/** How far behind the service is about warrants. */
export interface FgaControls extends Methods<typeof fgaControls> {}
