import type { World } from '../../world/world.js';
import { type ConnectionRecord, connections, insertConnection } from './records.js';

/** A social provider's name, `GoogleOAuth`; undefined for what is none. Identities have one of them in another spelling. */
export const providerNamed = (name: string): string | undefined =>
  name.toLowerCase() === 'githuboauth' ? 'GitHubOAuth' : /^[A-Z][A-Za-z0-9]*OAuth$/.test(name) ? name : undefined;

/** The connections of the environment by a provider: those that belong to no organization. */
export const environmentConnections = (world: World, connectionType: string): readonly ConnectionRecord[] =>
  world
    .of(connections)
    .where('connectionType', connectionType)
    .filter(({ organizationId }) => organizationId === null);

/**
 * The environment's connection by a provider, or for magic links. It is made with its first use, as if it had been set
 * up beforehand: no event says so.
 */
export const environmentConnection = (world: World, connectionType: string): ConnectionRecord =>
  environmentConnections(world, connectionType)[0] ?? insertConnection(world, { connectionType });
