import { expect, test } from 'vitest';
import { stage } from '../../../stage.js';

/** Nested teams, each a member of the previous team, with one user in the first and one in the last. */
async function nestedTeams(count: number) {
  const { send } = await stage();
  await send('PUT /fga/v1/resource-types', [
    { type: 'user', relations: {} },
    { type: 'team', relations: { member: {} } },
  ]);
  const member = (team: string, subject: object) => ({
    op: 'create',
    resource_type: 'team',
    resource_id: team,
    relation: 'member',
    subject,
  });
  const team = (at: number): string => String(at).padStart(4, '0');
  const warrants = [
    member(team(1), { resource_type: 'user', resource_id: 'grace' }),
    member(team(count), { resource_type: 'user', resource_id: 'ada' }),
    ...Array.from({ length: count - 1 }, (_, at) =>
      member(team(at + 1), { resource_type: 'team', resource_id: team(at + 2), relation: 'member' }),
    ),
  ];
  const { status } = await send('POST /fga/v1/warrants', warrants);
  expect(status).toBe(200);
  const query = (q: string) => send(`GET /fga/v1/query?limit=2&order=asc&q=${encodeURIComponent(q)}`);
  return { send, query };
}

test('a warrant query over 3,000 nested teams finds the teams of a user and the users of a team', async () => {
  const { query } = await nestedTeams(3_000);

  const teams = await query('select team where user:ada is member');
  const users = await query('select member of type user for team:0001');

  expect([teams.status, users.status]).toEqual([200, 200]);
  expect(teams.body.data).toMatchObject([
    {
      resource_type: 'team',
      resource_id: '0001',
      relation: 'member',
      is_implicit: false,
      warrant: { resource_id: '0001', subject: { resource_type: 'team', resource_id: '0002', relation: 'member' } },
    },
    { resource_id: '0002' },
  ]);
  expect(users.body.data).toMatchObject([
    { resource_type: 'user', resource_id: 'ada', warrant: { resource_id: '3000', subject: { resource_id: 'ada' } } },
    { resource_type: 'user', resource_id: 'grace', warrant: { resource_id: '0001' } },
  ]);
});

test('a batch of authorization checks is rejected if the checks take too many steps', async () => {
  const { send } = await nestedTeams(1_000);
  const check = {
    resource_type: 'team',
    resource_id: '0001',
    relation: 'member',
    subject: { resource_type: 'user', resource_id: 'linus' },
  };
  const batch = (count: number) => send('POST /fga/v1/check', { op: 'batch', checks: Array(count).fill(check) });

  expect((await batch(10)).status).toBe(200);
  expect(await batch(5_000)).toMatchObject({
    status: 422,
    body: {
      code: 'out_of_range',
      errors: [{ field: 'checks', message: expect.stringContaining('at most 100000 steps in total') }],
    },
  });
});
