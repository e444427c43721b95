import { dialects, operations, pathOf, publicStatusOf } from '../../emulator/command-line.js';
import { type AllowedOperation, type MakingOperation, reads, untried, writes } from './allowed.js';
import type { Answer, Courier, Sent } from './courier.js';
import type { Finding } from './finding.js';
import { orNotTried, type Stage } from './stage.js';

/** Call the operations that no probe calls, to compare their answers. The courier notes what differs. */
export async function callOperations(stage: Stage, mailTo: string | undefined): Promise<void> {
  const { courier, mark } = stage;
  const { dialect } = courier.settings;
  /** Call an operation. The parts of the request may need an object that was not made. */
  const call = async (id: AllowedOperation, sent: () => Sent = () => ({})): Promise<Answer['body']> => {
    const body = await (async () => courier.expect(id, sent()))().catch(orNotTried);
    return body instanceof Error ? {} : body;
  };
  /** Call an operation for the first object of a list, if there is one. */
  const callForFirst = async (list: AllowedOperation, id: AllowedOperation, sent: (first: string) => Sent) => {
    const { data } = await call(list, () => ({ query: { limit: '1' } }));
    const first: unknown = Object([data].flat()[0]).id;
    if (typeof first === 'string') await call(id, () => sent(first));
    return first;
  };
  /** Make an object, and call operations for it if it was made. */
  const make = async (id: MakingOperation, name: string, sent: () => Sent, then?: (id: string) => Promise<unknown>) => {
    const made = await (async () => courier.make(id, name, sent()))().catch(orNotTried);
    if (!(made instanceof Error)) await then?.(made.id);
  };
  const page = { limit: '2' };

  await call('organizations.list', () => ({ query: page }));
  await call('organizations.get', () => ({ params: [stage.organizationId] }));
  await call('organizations.getByExternalId', () => ({ params: [mark] }));
  await call('organizations.update', () => ({ params: [stage.organizationId], body: { name: `${mark} 2` } }));
  await call('organizations.listRoles', () => ({ params: [stage.organizationId] }));
  await call('organizations.getAuditLogsRetention', () => ({ params: [stage.organizationId] }));
  await call('portal.generateLink', () => ({ body: { organization: stage.organizationId, intent: 'sso' } }));
  const domain = `${mark}.example.com`;
  await make(
    'organizationDomains.create',
    domain,
    () => ({ body: { organization_id: stage.organizationId, domain } }),
    (id) => call('organizationDomains.get', () => ({ params: [id] })),
  );

  await call('users.list', () => ({ query: page }));
  await call('users.get', () => ({ params: [stage.userId] }));
  await call('users.getByExternalId', () => ({ params: [mark] }));
  await call('users.update', () => ({ params: [stage.userId], body: { last_name: 'Lovelace' } }));
  await call('users.listIdentities', () => ({ params: [stage.userId] }));
  await call('users.listAuthorizedApplications', () => ({ params: [stage.userId] }));
  await call('users.listAuthFactors', () => ({ params: [stage.userId] }));
  await call('organizationMemberships.get', () => ({ params: [stage.membershipId] }));
  await call('organizationMemberships.update', () => ({ params: [stage.membershipId], body: { role_slug: 'member' } }));
  await call('invitations.list', () => ({ query: page }));
  if (mailTo !== undefined) {
    courier.own.add(mailTo);
    // An invited user who exists has a pending membership at the public service.
    await make('users.create', mailTo, () => ({ body: { email: mailTo } }));
    await make(
      'invitations.send',
      mailTo,
      () => ({ body: { email: mailTo, organization_id: stage.organizationId } }),
      (id) => call('invitations.get', () => ({ params: [id] })),
    );
  }
  await make(
    'mfa.enrollFactor',
    mark,
    () => ({ body: { type: 'totp', totp_issuer: 'Sallyport check', totp_user: mark } }),
    async (id) => {
      await call('mfa.getFactor', () => ({ params: [id] }));
      await call('mfa.challengeFactor', () => ({ params: [id], body: {} }));
    },
  );

  await callForFirst('sso.listConnections', 'sso.getConnection', (id) => ({ params: [id] }));
  const directory = await callForFirst('directorySync.listDirectories', 'directorySync.getDirectory', (id) => ({
    params: [id],
  }));
  if (typeof directory === 'string') {
    await call('directorySync.listUsers', () => ({ query: { directory, ...page } }));
    await call('directorySync.listGroups', () => ({ query: { directory, ...page } }));
  }
  await call('webhooks.listEndpoints', () => ({ query: page }));
  await call('auditLogs.listActions', () => ({ query: page }));
  if (dialect === dialects.spec)
    for (const id of ['fga.listResourceTypes', 'fga.listResources', 'fga.listWarrants'] as const) await call(id);
}

/** Report what the courier has compared: a line for each operation, and one for each reason not to call one. */
export function answerFindings({ compared, settings }: Courier): readonly Finding[] {
  const isPublic = settings.dialect === dialects.workos;
  const called = [...compared].map(([id, differences]): Finding => {
    const operation = operations[id]!;
    const status = isPublic ? publicStatusOf(operation) : (operation.io.status ?? 200);
    const happened = [...differences].join('; ');
    // A path that is not there, and not an object that is not there.
    const isMissing = operation.kind === 'list' && /^status (?:404|501)\b/.test(happened);
    return {
      says: `${operation.method} ${pathOf(operation, settings.dialect)} (${id}) answers ${status} as described`,
      happened: happened || 'it does',
      outcome: isMissing ? 'not offered' : happened ? 'differs' : 'holds',
    };
  });
  const reasons: Record<string, readonly string[]> = { ...untried };
  for (const id of [...reads, ...writes]) {
    if (compared.has(id)) continue;
    const reason = /^invitations/.test(id)
      ? 'they send mail: pass --mail-to'
      : /^webhooks/.test(id)
        ? 'an endpoint needs --webhook-url'
        : 'this environment has no object for them';
    reasons[reason] = [...(reasons[reason] ?? []), id];
  }
  return [...called, ...Object.entries(reasons).flatMap(([happened, ids]) => notCalled(ids, happened, isPublic))];
}

function notCalled(ids: readonly string[], happened: string, isPublic: boolean): Finding[] {
  const isOffered = (id: string): boolean => !isPublic || !id.startsWith('fga.');
  const says = (some: readonly string[]): string => `${some.join(', ')} answer as described`;
  const [offered, missing] = [ids.filter(isOffered), ids.filter((id) => !isOffered(id))];
  return [
    ...(offered.length ? [{ says: says(offered), happened, outcome: 'not tried' as const }] : []),
    ...(missing.length
      ? [{ says: says(missing), happened: 'the public service has no /fga/v1', outcome: 'not offered' as const }]
      : []),
  ];
}
