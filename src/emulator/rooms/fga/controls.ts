import { between, body } from '../../../service/describe/define.js';
import { put } from '../../../service/describe/operation.js';
import { control, type Methods } from '../../http/control.js';
import { setLag } from './warrant-tokens.js';

const fgaLag = body({
  /** Lag in milliseconds, at most 86,400,000 (a day); 0 for none. */
  lagMs: between(0, 86_400_000),
});

export const fgaControls = {
  /**
   * Make checks and queries lag behind writes. Without a warrant token, they see the warrants as they were this many milliseconds
   * ago, by the emulator's clock. With the token of a write, they see at least that write. With `latest`, they see everything.
   *
   * @throws {Refusal} 422 unless `lagMs` is an integer from 0 to 86,400,000 (a day).
   */
  setFgaLag: control(
    put('/_emulator/fga/lag', { body: fgaLag }),
    ({ memory }, lagMs: number) => setLag(memory, lagMs),
    {
      positional: ['lagMs'],
    },
  ),
};

/** Controls for the lag of checks and queries behind writes. */
export interface FgaControls extends Methods<typeof fgaControls> {}
