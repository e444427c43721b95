import { type Received, type Script, say, serve, type TestServer } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';

/** Ids of this many organizations of a service. */
export const idsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `org_${String(i).padStart(4, '0')}`);

/** The requested page as in the specification, with 10 items by default. */
export function pageFor(ids: readonly string[], { query }: Received): Record<string, unknown> {
  const limit = Number(query.get('limit') ?? 10);
  const after = query.get('after');
  const before = query.get('before');
  const end = before === null ? undefined : ids.indexOf(before);
  const start = end !== undefined ? Math.max(0, end - limit) : after === null ? 0 : ids.indexOf(after) + 1;
  const page = ids.slice(start, end ?? start + limit);
  return wirePage(
    page.map((id) => wireOrganization({ id, name: id })),
    {
      before: start > 0 ? (page[0] ?? null) : null,
      after: start + page.length < ids.length ? (page.at(-1) ?? null) : null,
    },
  );
}

/** A service with this many organizations. `before` runs first for each request, and may answer it. */
export const serveList = (
  count: number,
  before: (
    request: Received,
    number: number,
    ...rest: Parameters<Extract<Script, (...args: never[]) => unknown>>
  ) => unknown = () => {},
): Promise<TestServer> => {
  const ids = idsOf(count);
  let number = 0;
  return serve(async (request, response) => {
    number += 1;
    if ((await before(request, number, request, response)) === 'answered' || response.writableEnded) return;
    say(response, { body: pageFor(ids, request) });
  });
};

/** The query of each request for a page. */
export const askedOf = (server: TestServer): string[] =>
  server.requests.map(({ target }) => target.split('?')[1] ?? '');
