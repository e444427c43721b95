import { ref } from '../../../service/describe/define.js';
import { batchSection } from '../../seed/section.js';
import { type ApiKey, apiKey, refuseUselessDenial } from '../../world/api-keys.js';

export const apiKeysSection = batchSection({
  name: 'apiKeys',
  unique: 'value',
  entry: ref<ApiKey>(apiKey),
  async plantAll(memory, keys, attempt) {
    for (const [at, key] of keys.entries()) {
      await attempt([at, 'value'], () => memory.keys.plant(key));
      for (const [i, deny] of (key.deny ?? []).entries())
        await attempt([at, 'deny', i], () => refuseUselessDenial(deny, ''));
    }
  },
  // Keys from the options are not part of a seed.
  export: ({ keys, settings }) => keys.all.filter(({ value }) => !settings.apiKeys.some((key) => key.value === value)),
});
