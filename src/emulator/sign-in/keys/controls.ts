import { type Fields, part, ref, string } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { control, type Methods } from '../../http/control.js';
import { type RotateOptions, rotateOptions, signingKeys } from './signing-keys.js';

const rotatedKey = part({
  /** Id of the new key. */
  kid: string,
});
/** The key that signs new tokens. */
export interface RotatedKey extends Readonly<Fields<typeof rotatedKey>> {}

/** Controls for the keys that sign access tokens. A reset restores the first key. */
export const keyControls = {
  /**
   * Create a new signing key and return its id. Earlier keys stay published, so that tokens they signed stay valid, unless
   * `retire` is set.
   */
  rotate: control(
    post('/_emulator/keys/rotate', { body: ref<RotateOptions>(rotateOptions), returns: ref<RotatedKey>(rotatedKey) }),
    ({ memory }, options: RotateOptions = {}) => memory.of(signingKeys).rotate(options),
  ),
};

/** Controls for the keys that sign access tokens. */
export interface KeyControls extends Methods<typeof keyControls> {}
