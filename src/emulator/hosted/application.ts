import { string } from '../../service/describe/define.js';
import { sectionOnce } from '../seed/section.js';
import { unprocessableField } from '../world/refusal.js';
import { slot, type World } from '../world/world.js';

/** The name of the application; undefined until somebody gives it one. */
const applicationName = slot(({ settings }): { current: string | undefined } => ({
  current: settings.applicationName,
}));

/** What the hosted pages call the application; the option `applicationName` comes before it. */
export const applicationNameSection = sectionOnce({
  name: 'applicationName',
  entry: string,
  plant(world, name) {
    if (name.trim() === '') throw unprocessableField('', 'invalid_value', 'must be a name, such as Acme');
    world.of(applicationName).current ??= name;
  },
});

/** The application, as a person knows it: by its name, or by its host where it has none. */
export const applicationOf = (world: World, { redirectUri }: { readonly redirectUri: string }): string =>
  world.of(applicationName).current ?? new URL(redirectUri).host;
