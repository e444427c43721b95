import { setTimeout as pause } from 'node:timers/promises';
import type { Sallyport } from 'sallyport';

/** Numbers that are the same in every run. */
export function randomNumbers(seed = 42): (below: number) => number {
  let last = seed;
  return (below) => {
    last = (last * 48_271) % 2_147_483_647;
    return last % below;
  };
}

/** The objects of a service that is to be mirrored. */
export interface Company {
  readonly users: string[];
  readonly organizations: string[];
  readonly memberships: string[];
}

/** Create users, organizations, and a membership for each user. */
export async function companyOf(client: Sallyport, users: number, organizations: number): Promise<Company> {
  const company: Company = { users: [], organizations: [], memberships: [] };
  for (let number = 0; number < organizations; number++)
    company.organizations.push((await client.organizations.createOrganization({ name: `Company ${number}` })).id);
  for (let number = 0; number < users; number++) {
    const { id: userId } = await client.userManagement.createUser({ email: `user${number}@${organizations}.test` });
    company.users.push(userId);
    const organizationId = company.organizations[number % organizations]!;
    const { id } = await client.userManagement.createOrganizationMembership({ userId, organizationId });
    company.memberships.push(id);
  }
  return company;
}

/** Change something at random: a name, a role, a person who joins, leaves, or is deleted, now and then an organization. */
export async function change(client: Sallyport, company: Company, random: (below: number) => number): Promise<void> {
  const { users, organizations, memberships } = company;
  const one = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const { userManagement } = client;
  const kind = random(20);
  try {
    if (kind < 6) await userManagement.updateUser({ userId: one(users), firstName: `Name ${random(1_000)}` });
    else if (kind < 12)
      await userManagement.updateOrganizationMembership(one(memberships), { roleSlug: random(2) ? 'admin' : 'member' });
    else if (kind < 15) {
      const user = await userManagement.createUser({ email: `new${users.length}.${random(1e9)}@acme.test` });
      users.push(user.id);
      const organizationId = one(organizations);
      const membership = await userManagement.createOrganizationMembership({ userId: user.id, organizationId });
      memberships.push(membership.id);
    } else if (kind < 17) await userManagement.deleteOrganizationMembership(one(memberships));
    else if (kind < 19) await userManagement.deleteUser(one(users));
    else if (random(5) > 0)
      await client.organizations.updateOrganization({
        organization: one(organizations),
        name: `Name ${random(1_000)}`,
      });
    else await client.organizations.deleteOrganization(one(organizations));
  } catch (error) {
    // Some of them have been deleted before.
    if (![404, 409, 422].includes((error as { readonly status?: number }).status ?? 0)) throw error;
  }
}

/** Change the company 20 times a second, until the returned function is called. */
export function startChanges(client: Sallyport, company: Company): () => Promise<void> {
  const random = randomNumbers();
  let isOver = false;
  const work = (async () => {
    while (!isOver) await Promise.all([change(client, company, random), pause(50)]);
  })();
  return () => {
    isOver = true;
    return work;
  };
}

/** What the service has, as rows of the three tables, by hand and not by the code of the mirror. */
export async function expectedRows(client: Sallyport): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = { users: [], organizations: [], memberships: [] };
  for await (const { id, email, firstName, updatedAt } of client.userManagement.listUsers())
    rows.users!.push(`${id} ${email} ${firstName} ${updatedAt}`);
  const ids: string[] = [];
  for await (const { id, name, updatedAt } of client.organizations.listOrganizations()) {
    rows.organizations!.push(`${id} ${name} ${updatedAt}`);
    ids.push(id);
  }
  for (const organizationId of ids)
    for await (const { id, userId, role, status, updatedAt } of client.userManagement.listOrganizationMemberships({
      organizationId,
      statuses: ['active', 'inactive', 'pending'],
    }))
      rows.memberships!.push(`${id} ${userId} ${organizationId} ${role.slug} ${status} ${updatedAt}`);
  for (const list of Object.values(rows)) list.sort();
  return rows;
}

type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The rows of the three tables. */
export async function mirroredRows(query: Query): Promise<Record<string, string[]>> {
  const columns = {
    users: ['id', 'email', 'first_name', 'updated_at'],
    organizations: ['id', 'name', 'updated_at'],
    memberships: ['id', 'user_id', 'organization_id', 'role', 'status', 'updated_at'],
  };
  const rows: Record<string, string[]> = {};
  for (const [table, names] of Object.entries(columns))
    rows[table] = (await query(`SELECT ${names} FROM sallyport_${table}`))
      .map((row) =>
        names
          .map((name) => row[name])
          .join(' ')
          .replace(/ {2}/g, ' null '),
      )
      .sort();
  return rows;
}
