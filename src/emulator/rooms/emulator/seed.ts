import { ref, string } from '../../../service/describe/define.js';
import { batchSection, section } from '../../seed/section.js';
import { type ApiKey, apiKey, refuseUselessDenial } from '../../world/api-keys.js';
import { type Fault, fault } from '../faults/fault.js';
import { faults } from '../faults/faults.js';
import { addRedirectUri, redirectUris } from '../redirect-uris/records.js';

/** API keys in addition to the emulator's own. */
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

/** Addresses that users may return to after signing in. The first is the default. */
export const redirectUrisSection = batchSection({
  name: 'redirectUris',
  entry: string,
  async plantAll(memory, uris, attempt) {
    for (const [at, uri] of uris.entries()) await attempt([at], () => addRedirectUri(memory, uri));
  },
  export: (memory) =>
    memory
      .of(redirectUris)
      .values()
      .map(({ uri }) => uri),
});

/** Faults that are active from the start. */
export const faultsSection = section({
  name: 'faults',
  entry: ref<Fault>(fault),
  plant: (memory, newFault) => memory.of(faults).add(newFault),
  export: (memory) => memory.of(faults).list,
});
