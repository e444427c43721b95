import { string } from '../../service/describe/define.js';
import { singleSection } from '../seed/section.js';
import { unprocessableField } from '../store/refusal.js';
import { value, type World } from '../world/world.js';

/** The application name from the seed, or undefined if the seed has none. */
const applicationName = value<string | undefined>('application name', undefined, string);

/** Name of the application on the hosted pages. The option `applicationName` overrides it. */
export const applicationNameSection = singleSection({
  name: 'applicationName',
  entry: string,
  plant(world, name) {
    if (name.trim() === '') throw unprocessableField('', 'invalid_value', 'must be a name, such as Acme');
    world.of(applicationName).set(name);
  },
  export: (world) => [world.of(applicationName).get() ?? []].flat(),
});

/** Get the display name of the application, or its host if it has no name. */
export const applicationOf = (world: World, { redirectUri }: { readonly redirectUri: string }): string =>
  world.settings.applicationName ?? world.of(applicationName).get() ?? new URL(redirectUri).host;
