import { inspect } from 'node:util';
import { type Organization, type Sallyport, UnexpectedResponseError } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { clientOf, failureOf, say, serve, type TestServer } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { askedOf, idsOf, pageFor } from './list-service.js';

const idOf = ({ id }: Organization) => id;

/** A service with a number of organizations. The ones at the positions `bad` do not match their description. */
const serveWith = (count: number, ...bad: readonly number[]): Promise<TestServer> =>
  serve((request, response) => {
    const page = pageFor(idsOf(count), request);
    const wrong = bad.map((one) => idsOf(count)[one]);
    const data = (page.data as Record<string, unknown>[]).map((record) =>
      wrong.includes(String(record.id)) ? { ...record, name: 42, note: 'private' } : record,
    );
    say(response, { body: { ...page, data } });
  });

type Params = Parameters<Sallyport['organizations']['listOrganizations']>;

/** The result of a walk over a list, and its error. */
async function walk(server: TestServer, ...params: Params) {
  const handedOut: string[] = [];
  const list = clientOf(server).organizations.listOrganizations(...params);
  const failure = await (async () => {
    for await (const { id } of list) handedOut.push(id);
  })().catch((error: unknown) => error as UnexpectedResponseError);
  return { handedOut, failure, cursor: list.cursor };
}

describe('a list with an invalid record', () => {
  test('yields the preceding records, and then throws an error that contains the invalid record and a cursor', async () => {
    const { handedOut, failure, cursor } = await walk(await serveWith(5, 2));

    expect(handedOut).toEqual(['org_0000', 'org_0001']);
    expect(cursor).toBe('org_0001');
    expect(failure).toBeInstanceOf(UnexpectedResponseError);
    expect(failure).toMatchObject({ code: 'unexpected_response', path: 'data[2].name', cursor: 'org_0002' });
    expect(failure!.record).toMatchObject({ id: 'org_0002', name: 42, note: 'private' });
    expect(failure!.message).toContain('The field data[2].name must be a string, but is a number');
    expect(failure!.message).toContain('{ after: error.cursor }');
  });

  test('can be continued from the cursor in the error', async () => {
    const server = await serveWith(5, 2);
    const { failure } = await walk(server);

    expect(await walk(server, { after: failure!.cursor })).toMatchObject({ handedOut: ['org_0003', 'org_0004'] });
  });

  test.each([0, 99, 100, 249])(
    'at position %s yields every valid record if resumed once from the cursor in the error',
    async (bad) => {
      const server = await serveWith(250, bad);

      const { handedOut, failure } = await walk(server);
      const behind = await walk(server, { after: failure!.cursor });

      expect(handedOut).toEqual(idsOf(250).slice(0, bad));
      expect(behind).toEqual({ handedOut: idsOf(250).slice(bad + 1), failure: undefined, cursor: expect.anything() });
    },
  );

  test('can be continued backwards from the cursor in the error', async () => {
    const server = await serveWith(8, 3);

    const { handedOut, failure } = await walk(server, { before: 'org_0006', limit: 5 });

    expect(handedOut).toEqual(['org_0005', 'org_0004']);
    expect(failure).toMatchObject({ cursor: 'org_0003', path: 'data[2].name' });
    expect(failure!.message).toContain('{ before: error.cursor }');
    expect(await walk(server, { before: failure!.cursor })).toMatchObject({
      handedOut: ['org_0002', 'org_0001', 'org_0000'],
    });
  });

  test('ends the iteration after the error', async () => {
    const walking = clientOf(await serveWith(5, 1))
      .organizations.listOrganizations()
      [Symbol.asyncIterator]();

    expect(await walking.next()).toMatchObject({ value: { id: 'org_0000' } });
    await expect(walking.next()).rejects.toThrow('data[1].name');
    expect(await walking.next()).toEqual({ value: undefined, done: true });
  });

  test('throws an error whose printed form omits the record', async () => {
    const { failure } = await walk(await serveWith(3, 1));

    expect(inspect(failure, { depth: 10 }) + JSON.stringify(failure)).not.toContain('private');
  });

  test('throws an error whose stack trace points to the calling file', async () => {
    const { failure } = await walk(await serveWith(3, 1));

    expect(failure!.stack).toContain('bad-records.test.ts');
  });

  test.each([
    ['if awaited,', async (list: ReturnType<Sallyport['organizations']['listOrganizations']>) => list],
    [
      'if iterated by pages(),',
      async (list: ReturnType<Sallyport['organizations']['listOrganizations']>) => list.pages().next(),
    ],
  ])('%s throws an error that contains the preceding records', async (_, take) => {
    const list = clientOf(await serveWith(5, 2)).organizations.listOrganizations();

    const failure = (await failureOf(take(list))) as UnexpectedResponseError;

    expect(failure).toMatchObject({ path: 'data[2].name', cursor: 'org_0002' });
    expect((failure.preceding as Organization[]).map(idOf)).toEqual(['org_0000', 'org_0001']);
  });

  test('if the invalid record has no id, throws an error that explains how to continue without a cursor', async () => {
    const server = await serve({ body: wirePage([wireOrganization(), wireOrganization({ id: undefined })]) });

    const { handedOut, failure } = await walk(server, { after: 'org_00' });

    expect(handedOut).toEqual(['org_01']);
    expect(failure).toMatchObject({ path: 'data[1].id', cursor: undefined });
    expect(failure!.message).toContain('Pass onInvalid');
    expect(failure!.message).not.toContain('error.cursor');
  });
});

describe('the onInvalid option', () => {
  test('set to "skip" omits every invalid record of a list', async () => {
    const server = await serveWith(250, 0, 99, 180);

    const { handedOut, failure } = await walk(server, {}, { onInvalid: 'skip' });

    expect(failure).toBeUndefined();
    expect(handedOut).toEqual(idsOf(250).filter((_, at) => ![0, 99, 180].includes(at)));
    expect(askedOf(server)).toHaveLength(3);
  });

  test('can be a function that receives each invalid record and the problem', async () => {
    const seen: unknown[] = [];
    const onInvalid = (record: unknown, problem: string) => seen.push([(record as Organization).id, problem]);

    const { handedOut } = await walk(await serveWith(5, 1, 3), {}, { onInvalid });

    expect(handedOut).toEqual(['org_0000', 'org_0002', 'org_0004']);
    expect(seen).toEqual([
      ['org_0001', 'The field name must be a string, but is a number'],
      ['org_0003', 'The field name must be a string, but is a number'],
    ]);
  });

  test('applies to a single page, to pages() and to toArray()', async () => {
    const sallyport = clientOf(await serveWith(5, 2));
    const list = () => sallyport.organizations.listOrganizations({}, { onInvalid: 'skip' });
    const good = ['org_0000', 'org_0001', 'org_0003', 'org_0004'];

    expect((await list()).data.map(idOf)).toEqual(good);
    expect((await list().pages().next()).value.data.map(idOf)).toEqual(good);
    expect((await list().toArray({ max: 10 })).map(idOf)).toEqual(good);
  });

  test('applies to lists that are not paginated', async () => {
    const role = { object: 'role', id: 'role_01', name: 'Admin', slug: 'admin', type: 'EnvironmentRole' };
    const server = await serve({ body: { data: [role, null, { ...role, slug: 7 }] } });
    const roles = (options: object) =>
      clientOf(server).organizations.listOrganizationRoles({ organizationId: 'org_01' }, options);
    const problems: string[] = [];

    const failure = (await failureOf(roles({}))) as UnexpectedResponseError;

    expect(await roles({ onInvalid: 'skip' })).toMatchObject([role]);
    await roles({ onInvalid: (_: unknown, problem: string) => problems.push(problem) });
    expect(problems).toEqual([
      'The record must be an object, but is null',
      'The field slug must be a string, but is a number',
    ]);
    expect(failure).toMatchObject({ path: 'data[1]', record: null });
    expect(failure.message).toContain('Pass onInvalid');
  });

  test('can be a function that ends the iteration by throwing an error', async () => {
    const onInvalid = () => {
      throw new TypeError('stop here');
    };

    expect(await walk(await serveWith(5, 1), {}, { onInvalid })).toMatchObject({
      failure: new TypeError('stop here'),
    });
  });

  test('with an invalid value is rejected before a request is sent', async () => {
    const server = await serveWith(1);

    const { failure } = await walk(server, {}, { onInvalid: 'ignore' as 'skip' });

    expect(failure).toMatchObject({ code: 'invalid_argument', argument: 'onInvalid' });
    expect(server.requests).toEqual([]);
  });
});

test('a list response without an array in the data field is rejected even if onInvalid is "skip"', async () => {
  const server = await serve({ body: { data: 'none' } });

  const failure = await failureOf(clientOf(server).organizations.listOrganizations({}, { onInvalid: 'skip' }));

  expect(failure).toMatchObject({ path: 'data', record: undefined });
});
