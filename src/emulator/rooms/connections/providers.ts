import type { Memory } from '../../world/memory.js';
import { type ConnectionRecord, connections, insertConnection } from './records.js';

/** Normalize the name of a social provider, such as `GoogleOAuth`. GitHub's name has a different spelling in identities. */
export const providerNamed = (name: string): string | undefined =>
  name.toLowerCase() === 'githuboauth' ? 'GitHubOAuth' : /^[A-Z][A-Za-z0-9]*OAuth$/.test(name) ? name : undefined;

/** List the connections to a provider that belong to the environment rather than to an organization. */
export const environmentConnections = (memory: Memory, connectionType: string): readonly ConnectionRecord[] =>
  memory
    .of(connections)
    .where('connectionType', connectionType)
    .filter(({ organizationId }) => organizationId === null);

/**
 * Get the environment's connection to a provider, or the one for magic links. The first call creates it without an event, as if
 * it had always existed.
 */
export const environmentConnection = (memory: Memory, connectionType: string): ConnectionRecord =>
  environmentConnections(memory, connectionType)[0] ?? insertConnection(memory, { connectionType });
