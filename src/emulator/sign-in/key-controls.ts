import { type Fields, part, ref, string } from '../../service/describe/define.js';
import { post } from '../../service/describe/operation.js';
import { control, type Methods } from '../server/control.js';
import { type RotateOptions, rotateOptions, signingKeys } from './signing-keys.js';

const rotatedKey = part({
  /** Id of the new key. */
  kid: string,
});
/** A key that signs from now on. */
export interface RotatedKey extends Readonly<Fields<typeof rotatedKey>> {}

/** The keys that sign access tokens. They start anew with every reset. */
export const keyControls = {
  /**
   * Make a new key, which signs from now on; resolves to its id. The earlier ones stay published, so that tokens they have
   * signed are still good, unless `retire` is set.
   */
  rotate: control(
    post('/_emulator/keys/rotate', { body: ref<RotateOptions>(rotateOptions), returns: ref<RotatedKey>(rotatedKey) }),
    ({ world }, options: RotateOptions = {}) => world.of(signingKeys).rotate(options),
  ),
};

/** The keys that sign access tokens. */
export interface KeyControls extends Methods<typeof keyControls> {}
