import type { World } from '../../world/world.js';
import { type ConnectionRecord, connections, insertConnection } from './records.js';

/** Normalize the name of a social provider, such as `GoogleOAuth`. Identities spell GitHub's differently. */
export const providerNamed = (name: string): string | undefined =>
  name.toLowerCase() === 'githuboauth' ? 'GitHubOAuth' : /^[A-Z][A-Za-z0-9]*OAuth$/.test(name) ? name : undefined;

/** The connections of the environment to a provider, which do not belong to an organization. */
export const environmentConnections = (world: World, connectionType: string): readonly ConnectionRecord[] =>
  world
    .of(connections)
    .where('connectionType', connectionType)
    .filter(({ organizationId }) => organizationId === null);

/**
 * The environment's connection to a provider, or for magic links. It is created at first use without an event, as if it had
 * always existed.
 */
export const environmentConnection = (world: World, connectionType: string): ConnectionRecord =>
  environmentConnections(world, connectionType)[0] ?? insertConnection(world, { connectionType });
