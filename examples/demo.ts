// Use most of the API against an emulator over HTTP, and check the results: `npm run demo`. With `-- --stay`, the emulator stays
// open at the end, so that you can explore its console.
//
// Lines with a check mark were verified against the service. If a check fails, the demo ends with an error.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import colors from 'picocolors';
import { isAuthorized, isEvent, isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { TestBrowser } from 'sallyport/testing';
import { serve } from './demo/application.js';
import { readCompany } from './demo/company.js';
import { openCopy } from './demo/copy.js';
import { receive } from './demo/receiver.js';
import { check, Report, until } from './demo/report.js';
import { showcase, untilInterrupted } from './demo/showcase.js';

const stays = process.argv.includes('--stay');
const people = 2_500;
const company = readCompany();
const report = new Report();
// Roles come from the seed because the API cannot create them.
const emulator = await createEmulator({ dialect: 'spec', seed: { roles: company.roles } });
await emulator.listen(0);
console.log(`The emulator is listening on ${colors.cyan(emulator.url)}, with its console at the same address`);
const sallyport = new Sallyport({ ...emulator.credentials, hooks: { onRequest: report.onRequest } });
const { organizations, userManagement, directorySync, webhooks, events, auditLogs, fga } = sallyport;
const receiver = await receive(sallyport);

/** Maps ids in the file to the ids that the service assigned. */
const ids = new Map<string, string>();
const idOf = (pinned: string): string => ids.get(pinned) ?? pinned;

await report.step('Provision examples/company.yaml', async () => {
  for (const { id, name, external_id, metadata, domain_data, retention_period_in_days } of company.organizations) {
    const organization = await organizations.createOrganization({
      name,
      ...(external_id !== undefined && { externalId: external_id }),
      ...(metadata !== undefined && { metadata }),
      ...(domain_data !== undefined && { domainData: domain_data }),
    });
    ids.set(id, organization.id);
    if (retention_period_in_days !== undefined)
      await organizations.updateAuditLogsRetention(organization.id, {
        retentionPeriodInDays: retention_period_in_days,
      });
  }
  for (const { id, email, first_name, last_name, email_verified, password } of company.users) {
    const user = await userManagement.createUser({
      email,
      firstName: first_name,
      lastName: last_name,
      ...(email_verified !== undefined && { emailVerified: email_verified }),
      ...(password !== undefined && { password }),
    });
    ids.set(id, user.id);
  }
  for (const { user_id, organization_id, role_slug } of company.memberships) {
    if (role_slug === 'dock-manager') continue; // a role of one organization, which the API cannot create
    await userManagement.createOrganizationMembership({
      userId: idOf(user_id),
      organizationId: idOf(organization_id),
      ...(role_slug !== undefined && { roleSlug: role_slug }),
    });
  }
  for (const { name, schema } of company.audit_log_actions) await auditLogs.createSchema({ action: name, ...schema });
  await fga.applyResourceTypes(company.resource_types);

  const northwind = await organizations.getOrganizationByExternalId('crm-1001');
  check('Northwind is found by its external id', northwind.name === 'Northwind Traders');
  const owners = await organizations.listOrganizations({ domains: ['tailspin.test'] });
  check('Tailspin is found by its domain', owners.data.length === 1 && owners.data[0]?.name === 'Tailspin Toys');
  const members = await userManagement.listUsers({ organizationId: northwind.id });
  check(
    'Ada is a member of Northwind',
    members.data.some(({ email }) => email === 'ada@northwind.test'),
  );
  return `${company.organizations.length} organizations, ${company.users.length} users`;
});

const northwind = idOf('org_northwind');
const directory = await emulator.createDirectory({
  organizationId: northwind,
  name: 'Northwind people',
  type: 'okta scim v2.0',
});
for (let n = 1; n <= people; n += 1)
  await emulator.createDirectoryUser({
    directoryId: directory.id,
    idpId: `okta-${n}`,
    email: `person-${n}@northwind.test`,
    firstName: 'Person',
    lastName: String(n),
  });

await report.step(`Walk ${people.toLocaleString('en')} directory users`, async () => {
  const seen = new Set<string>();
  for await (const { email } of directorySync.listUsers({ directory: directory.id })) {
    if (email) seen.add(email);
    if (seen.size % 500 === 0) console.log(`  ${seen.size.toLocaleString('en')} …`);
  }
  check(`all ${people.toLocaleString('en')} were listed, none twice`, seen.size === people);
  return `${seen.size} users`;
});

let cursor: string | undefined;
const changes = {
  events: ['user.created', 'user.updated', 'organization_membership.created', 'dsync.user.updated'] as const,
};

await report.step('Make changes, receive signed webhooks', async () => {
  const past = events.listEvents();
  for await (const _ of past);
  cursor = past.cursor;
  const endpoint = await webhooks.createWebhookEndpoint({ endpointUrl: receiver.url, events: [...changes.events] });
  receiver.secret = endpoint.secret;

  const erin = await userManagement.createUser({ email: 'erin@northwind.test', firstName: 'Erin' });
  await userManagement.updateUser({ userId: erin.id, lastName: 'Walsh', metadata: { desk: 'B12' } });
  await userManagement.createOrganizationMembership({ userId: erin.id, organizationId: northwind });
  const [someone] = await directorySync.listUsers({ directory: directory.id }).toArray({ max: 1 });
  // Okta and Entra ID deactivate users who leave, and do not delete them.
  if (someone) await emulator.updateDirectoryUser(someone.id, { state: 'inactive' });
  await emulator.waitForDeliveries();

  check('four deliveries arrived over HTTP, each with a valid signature', receiver.received.length === 4);
  const deactivated = receiver.received.find((event) => isEvent(event, 'dsync.user.updated'));
  check('a deactivated user arrives as dsync.user.updated', deactivated?.data.state === 'inactive');
  const forged = await fetch(receiver.url, { method: 'POST', body: '{"event":"user.deleted"}' });
  check('an unsigned delivery is rejected', forged.status === 400 && receiver.refused === 1);
  return `${receiver.received.length} webhooks verified`;
});

await report.step('Tail the same events', async () => {
  const tailed: string[] = [];
  for await (const event of events.listEvents({ events: [...changes.events], ...(cursor && { after: cursor }) })) {
    console.log(`  ${event.createdAt}  ${event.event}`);
    tailed.push(event.id);
  }
  const delivered = receiver.received.map(({ id }) => id);
  check('the list has the same events as the webhooks', [...delivered].sort().join() === [...tailed].sort().join());
  return `${tailed.length} events`;
});

await report.step('Keep a copy of the users in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-demo-'));
  const file = join(folder, 'copy.db');
  let secret = '';
  let copy = await openCopy(sallyport, { file, secret: () => secret });
  const endpoint = await webhooks.createWebhookEndpoint({
    endpointUrl: copy.url,
    events: ['user.created', 'user.updated', 'user.deleted'],
  });
  secret = endpoint.secret;
  const faults = [
    await emulator.faults.add({ of: 'events', event: 'user.created', share: 0.5, delay: '1s' }),
    await emulator.faults.add({ of: 'webhooks', event: 'user.updated', copies: 2 }),
  ];
  console.log('  faults: every other user.created is listed a second late, every user.updated webhook is sent twice');
  const change = async (from: number, to: number): Promise<void> => {
    for (let n = from; n <= to; n += 1) {
      const { id } = await userManagement.createUser({ email: `sailor-${n}@northwind.test`, lastName: 'New' });
      await userManagement.updateUser({ userId: id, lastName: `Sailor ${n}` });
      if (n % 5 === 0) await userManagement.deleteUser(id);
    }
  };
  const say = (when: string): void => {
    for (const way of ['webhook', 'stream'] as const) {
      const { applied, duplicate, superseded } = copy.counts[way];
      console.log(`  ${when}, by ${way}: ${applied} applied, ${superseded} superseded, ${duplicate} duplicates`);
    }
  };

  await change(1, 10);
  await emulator.waitForDeliveries();
  say('before the restart');
  const { port } = new URL(copy.url);
  await copy.close();
  const before = copy.streamed;
  await change(11, 20); // while the application is down
  await emulator.waitForDeliveries();
  copy = await openCopy(sallyport, { file, port: Number(port), secret: () => secret });
  const expected = (await userManagement.listUsers().toArray({ max: 1_000 })).map(({ email }) => email).sort();
  await until(() => copy.emails().join() === expected.join());
  say('after the restart');
  await emulator.clock.advance('2m'); // failed deliveries are sent again
  await emulator.waitForDeliveries();
  say('two minutes later');

  const { all, events: distinct } = copy.writes();
  const types = ['user.created', 'user.updated', 'user.deleted'] as const;
  const listed = (await events.listEvents({ events: [...types] }).toArray({ max: 1_000 })).length;
  // Delivery is at least once. The application makes sure that a repeated event has no second effect.
  const streamed = (): number => new Set([...before, ...copy.streamed]).size;
  await until(() => streamed() >= listed);
  check(
    `the stream delivered ${before.size} events before the restart and ${listed - before.size} after it, all ${listed} of the list`,
    streamed() === listed,
  );
  check(`the copy has exactly the ${expected.length} users of the service`, copy.emails().join() === expected.join());
  check(`its handlers wrote ${all} times, for ${distinct} events`, all === distinct);
  console.log(`  ${copy.health()}`);
  for (const { id } of faults) await emulator.faults.remove(id);
  await webhooks.deleteWebhookEndpoint({ id: endpoint.id });
  await copy.close();
  rmSync(folder, { recursive: true });
  return `${all} events applied, none twice`;
});

await report.step('Write audit events, export them as CSV', async () => {
  const occurredAt = new Date(emulator.clock.now());
  for (const format of ['csv', 'pdf', 'csv'])
    await auditLogs.createEvent(northwind, {
      action: 'report.exported',
      occurredAt,
      actor: { type: 'user', id: idOf('user_ada'), name: 'Ada Nolan', metadata: { role: 'admin' } },
      targets: [{ type: 'report', id: 'q3', metadata: { format } }],
      context: { location: '192.0.2.7', userAgent: 'demo' },
      metadata: { rows: 128 },
    });
  let exported = await auditLogs.createExport({
    organizationId: northwind,
    rangeStart: new Date(occurredAt.getTime() - 3_600_000),
    rangeEnd: new Date(occurredAt.getTime() + 3_600_000),
    actions: ['report.exported'],
  });
  while (exported.state === 'pending') {
    await emulator.clock.advance('1s');
    exported = await auditLogs.getExport(exported.id);
  }
  const csv = await (await fetch(exported.url ?? '')).text();
  const lines = csv.trim().split('\n');
  console.log(`  ${lines[0]}`);
  check('the CSV has a header and the three events', lines.length === 4);
  return `${lines.length - 1} rows of CSV`;
});

await report.step('Write warrants and check them', async () => {
  const writes = company.warrants.map(({ resource_type, resource_id, relation, subject }) => ({
    resource: { resourceType: resource_type, resourceId: resource_id },
    relation,
    subject: {
      resourceType: subject.resource_type,
      resourceId: subject.resource_id,
      ...(subject.relation !== undefined && { relation: subject.relation }),
    },
  }));
  const { warrantToken } = await fga.batchWriteWarrants(writes);
  const may = async (user: string, relation: string): Promise<boolean> =>
    isAuthorized(
      await fga.check(
        {
          checks: [
            {
              resource: { resourceType: 'report', resourceId: 'q3' },
              relation,
              subject: { resourceType: 'user', resourceId: user },
            },
          ],
        },
        { warrantToken },
      ),
    );
  check('Ada can view the report, because she owns the folder', await may('user_ada', 'viewer'));
  check('Bruno can edit it, because his team can', await may('user_bruno', 'editor'));
  check('Chiara cannot view it', !(await may('user_chiara', 'viewer')));
  return `${writes.length} warrants, 3 checks`;
});

await report.step('Sign in on the hosted page, race refreshes, sign out', async () => {
  const application = await serve(emulator, report.fetch);
  const chiara = new TestBrowser();
  const account = () =>
    fetch(`${application.url}/account`, { headers: { cookie: chiara.cookiesFor(application.url) } });
  check('the middleware rejects requests without a cookie', (await account()).status === 401);

  const page = await chiara.open(`${application.url}/sign-in?email=chiara@tailspin.test`);
  console.log(`  ${/<h1>(.*)<\/h1>/.exec(page.text)?.[1]} at ${new URL(page.url).origin}`);
  await chiara.submit({ email: 'chiara@tailspin.test' });
  const back = await chiara.submit({ password: 'seven wooden aeroplanes' });
  check('Chiara returns signed in', back.url === `${application.url}/account`);
  console.log(`  ${back.text}`);

  const rotations = () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;
  const before = rotations();
  await emulator.clock.advance('10m');
  const answers = await Promise.all(Array.from({ length: 10 }, account));
  check(
    'ten concurrent requests with the same expired cookie all succeed, with one refresh',
    answers.every(({ ok }) => ok) && rotations() - before === 1,
  );

  await chiara.open(`${application.url}/sign-out`, { method: 'POST' });
  check('after signing out, the middleware rejects requests', (await account()).status === 401);
  application.close();
  return '10 raced, 1 refresh, 0 sign-outs';
});

await report.step('Handle an error', async () => {
  try {
    await organizations.createOrganization({
      name: 'Copycat',
      domainData: [{ domain: 'northwind.test', state: 'pending' }],
    });
  } catch (error) {
    if (!isSallyportError(error)) throw error;
    console.log(`  ${colors.red(error.name)}: ${error.message}`);
    check(
      'the error is a conflict with a service code',
      error.code === 'conflict' && error.serviceCode === 'domain_already_exists',
    );
    return error.name;
  }
  throw new Error('The service allowed two organizations to have the same domain.');
});

report.print();
if (stays) {
  await showcase({ emulator, sallyport, organizationId: northwind, userId: idOf('user_ada') });
  console.log(`\nThe console is open at ${colors.cyan(`${emulator.url}/`)} until you press Ctrl+C.`);
  await untilInterrupted();
} else {
  console.log(
    `\nThe console at ${emulator.url}/ is closing. Run ${colors.cyan('npm run demo -- --stay')} to keep it open.`,
  );
}
receiver.close();
await emulator.close();
