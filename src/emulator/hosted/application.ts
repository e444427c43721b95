import { string } from '../../service/describe/define.js';
import { singleSection } from '../seed/section.js';
import { unprocessableField } from '../world/refusal.js';
import { value, type World } from '../world/world.js';

/** The name that a seed gives the application; undefined where it gives none. */
const applicationName = value<string | undefined>('application name', undefined, string);

/** What the hosted pages call the application; the option `applicationName` comes before it. */
export const applicationNameSection = singleSection({
  name: 'applicationName',
  entry: string,
  plant(world, name) {
    if (name.trim() === '') throw unprocessableField('', 'invalid_value', 'must be a name, such as Acme');
    world.of(applicationName).set(name);
  },
  export: (world) => [world.of(applicationName).get() ?? []].flat(),
});

/** The application, as a person knows it: by its name, or by its host where it has none. */
export const applicationOf = (world: World, { redirectUri }: { readonly redirectUri: string }): string =>
  world.settings.applicationName ?? world.of(applicationName).get() ?? new URL(redirectUri).host;
