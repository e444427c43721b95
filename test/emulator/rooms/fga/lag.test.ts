import { describe, expect, test } from 'vitest';
import { momentOf, recordWarrantWrite } from '../../../../src/emulator/rooms/fga/warrant-tokens.js';
import { isAuthorized, Sallyport } from '../../../../src/index.js';
import { stage } from '../../../stage.js';
import { emptyWorld } from '../../world/empty-world.js';

const editor = {
  resource: { resourceType: 'report', resourceId: '7' },
  relation: 'editor',
  subject: { resourceType: 'user', resourceId: 'ada' },
};
const resourceTypes = [
  { type: 'user', relations: {} },
  { type: 'group', relations: { member: {} } },
  { type: 'report', relations: { editor: {} } },
];

/** An emulator whose checks lag five seconds behind. */
async function lagging(seed: object = {}, lagMs = 5_000) {
  const { emulator, send } = await stage({ fga: { lagMs }, seed: { resource_types: resourceTypes, ...seed } });
  const { fga } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const may = async (warrantToken?: string) =>
    isAuthorized(await fga.check({ checks: [editor] }, warrantToken === undefined ? {} : { warrantToken }));
  return { emulator, send, fga, may };
}

describe('a check that lags behind', () => {
  test('sees a new warrant by its token at once, and without one only later', async () => {
    const { emulator, fga, may } = await lagging();

    const { warrantToken } = await fga.writeWarrant(editor);

    expect([await may(), await may(warrantToken), await may('latest')]).toEqual([false, true, true]);
    await emulator.clock.advance('4s');
    expect([await may(), await may(warrantToken)]).toEqual([false, true]);
    await emulator.clock.advance('1s');
    expect([await may(), await may(warrantToken)]).toEqual([true, true]);
  });

  test('still sees a warrant that was just deleted, and by the token of the deletion does not', async () => {
    const { emulator, fga, may } = await lagging();
    const { warrantToken: created } = await fga.writeWarrant(editor);
    await emulator.clock.advance('1m');

    const { warrantToken: deleted } = await fga.writeWarrant({ ...editor, op: 'delete' });

    expect([await may(), await may(created), await may(deleted), await may('latest')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await emulator.clock.advance('5s');
    expect([await may(), await may(created)]).toEqual([false, false]);
  });

  test('sees by the token of an earlier write no more than that write', async () => {
    const { emulator, fga, may } = await lagging();
    const { warrantToken: early } = await fga.writeWarrant({
      ...editor,
      relation: 'editor',
      subject: { resourceType: 'user', resourceId: 'bob' },
    });
    await emulator.clock.advance('1s');

    const { warrantToken: late } = await fga.writeWarrant(editor);

    expect([await may(early), await may(late)]).toEqual([false, true]);
  });

  test('says the token of the last write that it has seen', async () => {
    const { emulator, fga } = await lagging();
    const { warrantToken: first } = await fga.writeWarrant(editor);
    await emulator.clock.advance('10s');
    const { warrantToken: second } = await fga.writeWarrant({ ...editor, op: 'delete' });

    const lagged = await fga.check({ checks: [editor] });
    const present = await fga.check({ checks: [editor] }, { warrantToken: second });

    expect([lagged.warrantToken, present.warrantToken]).toEqual([first, second]);
  });

  test('follows the groups of its moment', async () => {
    const { emulator, fga, may } = await lagging();
    const group = { resourceType: 'group', resourceId: 'crew' };
    await fga.writeWarrant({ ...editor, subject: { ...group, relation: 'member' } });
    await emulator.clock.advance('1m');

    const { warrantToken } = await fga.writeWarrant({ resource: group, relation: 'member', subject: editor.subject });

    expect([await may(), await may(warrantToken)]).toEqual([false, true]);
  });

  test('has seen what was seeded from the start', async () => {
    const { may } = await lagging({
      warrants: [
        {
          resource_type: 'report',
          resource_id: '7',
          relation: 'editor',
          subject: { resource_type: 'user', resource_id: 'ada' },
        },
      ],
    });

    expect(await may()).toBe(true);
  });

  test('is a query too', async () => {
    const { fga } = await lagging();
    const { warrantToken } = await fga.writeWarrant(editor);
    const found = async (options: object) =>
      (await fga.query({ q: 'select report where user:ada is editor' }, options).toArray({ max: 10 })).map(
        ({ resourceId }) => resourceId,
      );

    expect([await found({}), await found({ warrantToken })]).toEqual([[], ['7']]);
  });
});

test('a check without lag sees everything, though the clock was set back after the write', async () => {
  const { emulator, fga, may } = await lagging({}, 0);
  await emulator.clock.advance('1d');
  await fga.writeWarrant(editor);

  await emulator.clock.set('2026-01-01T00:00:00.000Z');

  expect(await may()).toBe(true);
});

describe('a context', () => {
  test('changes no answer: policies are outside', async () => {
    const { fga } = await lagging({}, 0);
    await fga.writeWarrant(editor);

    const answer = await fga.check({ checks: [{ ...editor, context: { tenant: 'other' } }] });

    expect(isAuthorized(answer)).toBe(true);
  });

  test('has no warrant to look at: one with a policy is refused', async () => {
    const { send } = await lagging({}, 0);

    const { status, body } = await send('POST /fga/v1/warrants', {
      resource_type: 'report',
      resource_id: '7',
      relation: 'editor',
      subject: { resource_type: 'user', resource_id: 'ada' },
      policy: 'tenant == "acme"',
    });

    expect([status, body.code]).toEqual([422, 'policies_not_supported']);
  });
});

test('the tokens of the newest 10,000 writes are remembered, and an older one stands for the oldest of them', () => {
  const memory = emptyWorld();
  const tokens = Array.from({ length: 10_001 }, () => recordWarrantWrite(memory));
  const readWith = (token: string) => () =>
    momentOf(memory, new Request('http://emulator.localhost', { headers: { 'warrant-token': token } }));

  expect(memory.save()['warrant token']!.filter(([, moment]) => moment !== null)).toHaveLength(10_000);
  expect(readWith(tokens[0]!)).not.toThrow();
  expect(readWith('warrant_token_of_nobody')).toThrow(/must be latest/);
});
