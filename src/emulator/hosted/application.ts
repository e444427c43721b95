import { isWebUri } from '../../redirect-uris/rules.js';
import { string } from '../../service/describe/define.js';
import { singleSection } from '../seed/section.js';
import { unprocessableField } from '../store/refusal.js';
import { type Memory, value } from '../world/memory.js';

/** The application name from the seed, or undefined if the seed has none. */
const applicationName = value<string | undefined>('application name', undefined, string);

/** Name of the application on the hosted pages. The option `applicationName` overrides it. */
export const applicationNameSection = singleSection({
  name: 'applicationName',
  entry: string,
  plant(memory, name) {
    if (name.trim() === '') throw unprocessableField('', 'invalid_value', 'must be a name, such as Acme');
    memory.of(applicationName).set(name);
  },
  export: (memory) => [memory.of(applicationName).get() ?? []].flat(),
});

/** Get the display name of the application. Without a name, it is the host of its redirect URI, or the scheme of a native application. */
export function applicationOf(memory: Memory, { redirectUri }: { readonly redirectUri: string }): string {
  const { host, protocol } = new URL(redirectUri);
  const address = isWebUri(redirectUri) ? host : protocol.slice(0, -1);
  return memory.settings.applicationName ?? memory.of(applicationName).get() ?? address;
}
