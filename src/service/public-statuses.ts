import type { Operation } from './describe/operation.js';

// Not part of the operations, because only the emulator needs them and clients should not bundle them.
const publicStatuses: Readonly<Record<number, readonly string[]>> = {
  201: [
    'auditLogs.createExport',
    'auditLogs.createSchema',
    'invitations.send',
    'magicAuth.create',
    'mfa.challengeFactor',
    'mfa.enrollFactor',
    'mfa.verifyChallenge',
    'organizationDomains.create',
    'organizationDomains.verify',
    'organizationMemberships.create',
    'organizations.create',
    'passwordReset.create',
    'portal.generateLink',
    'users.create',
    'users.enrollAuthFactor',
    'webhooks.createEndpoint',
  ],
  202: ['directorySync.deleteDirectory', 'organizations.delete'],
  204: [
    'mfa.deleteFactor',
    'organizationDomains.delete',
    'sso.deleteConnection',
    'users.deleteAuthorizedApplication',
    'webhooks.deleteEndpoint',
  ],
};

const byId = new Map(
  Object.entries(publicStatuses).flatMap(([status, ids]) => ids.map((id) => [id, Number(status)] as const)),
);

/** Return the success status of the public service, or the specification's if the public service does not differ. */
export const publicStatusOf = ({ id, io }: Operation): number => byId.get(id) ?? io.status ?? 200;
