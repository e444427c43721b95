import { ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { control } from '../../http/control.js';
import { EmulatorRefusal, unprocessableField } from '../../store/refusal.js';
import { type ApiKey, apiKey, refuseUselessDenial } from '../../world/api-keys.js';

export const apiKeyControls = {
  /**
   * Accept an API key until the next reset, as if it had been created in the dashboard.
   *
   * @throws {EmulatorRefusal} 422 if the key does not start with `sk_`, contains spaces, or has an entry in `deny` that matches no
   * request; 409 `api_key_taken` if another world has it.
   */
  addApiKey: control(post('/_emulator/api_keys', { body: ref<ApiKey>(apiKey) }), ({ memory }, key) => {
    for (const [at, deny] of (key.deny ?? []).entries()) refuseUselessDenial(deny, `deny.${at}`);
    try {
      memory.keys.add(key);
    } catch (error) {
      if (error instanceof EmulatorRefusal) throw error;
      throw unprocessableField('value', 'malformed_api_key', 'must start with sk_ and contain no spaces');
    }
  }),
};
