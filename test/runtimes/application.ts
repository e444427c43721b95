import { Hono } from 'hono';
import * as client from 'sallyport';
import { honoSession, type SessionEnv } from 'sallyport/hono';
import * as session from 'sallyport/session';
import * as webhooks from 'sallyport/webhooks';
import { play } from './scenarios.js';
import { ada, type Settings } from './settings.js';

const { createSessions, respond, withSession } = session;

/**
 * A web application for every runtime whose handlers take a `Request` and give a `Response`. It is made while its module
 * loads, where workers may neither fetch nor make random numbers.
 *
 * - `GET /me` by `withSession`, `GET /hono` by the middleware of Hono: JSON `{ status, email }`
 * - `GET /sign-in`, `GET /callback`, `POST /sign-out`
 * - `POST /later?seconds=…`: time passes, here and at the service
 * - `GET /organizations?with=…`: the names of the organizations, by a client with such options. With `leave`, it answers while the
 *   call is under way.
 * - `GET /scenarios`: plays all scenarios on this runtime, and answers with their results
 */
export function application(
  settings: Settings,
  inspect?: (value: unknown) => string,
): (request: Request) => Promise<Response> {
  const { baseUrl } = settings.service;
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const later = async (seconds: number) => {
    await fetch(`${baseUrl}/-/later?seconds=${seconds}`, { method: 'POST' });
    aheadMs += seconds * 1_000;
  };
  const rotations = async () => Number(await (await fetch(`${baseUrl}/-/rotations`)).text());
  const sessions = createSessions({ ...settings.service, cookiePassword: settings.password, now });

  const me = withSession(sessions, (_, { status, session }) =>
    Response.json({ status, email: session?.user.email ?? null }),
  );
  const hono = new Hono<SessionEnv>();
  hono.get('/hono', honoSession(sessions), (c) =>
    c.json({ status: c.var.auth.status, email: c.var.auth.session?.user.email ?? null }),
  );

  const limits = { mode: 'published', limits: { all_requests: { requests: 1, windowMs: 500 } } } as const;
  const options: Record<string, Partial<client.SallyportOptions>> = {
    'a concurrency limit': { maxConcurrent: 1 },
    'a rate limit': { limits },
    'a concurrency limit and a rate limit': { maxConcurrent: 1, limits },
  };
  const clients = new Map<string, client.Sallyport>();
  const organizations = async (kind: string, leaves: boolean): Promise<unknown> => {
    const sallyport = clients.get(kind) ?? new client.Sallyport({ ...settings.service, ...options[kind] });
    clients.set(kind, sallyport);
    const call = sallyport.organizations.listOrganizations({}, { deadlineMs: 20_000 });
    const names = call.then(({ data }) => data.map(({ name }) => name).sort());
    return leaves ? Promise.race([names, new Promise((resolve) => setTimeout(resolve, 100, 'left'))]) : names;
  };

  return async (request) => {
    const { pathname, origin, searchParams } = new URL(request.url);
    switch (`${request.method} ${pathname}`) {
      case 'GET /sign-in':
        return respond(
          await sessions.startSignIn(request, {
            loginHint: ada,
            returnTo: '/me',
            redirectUri: `${origin}/callback`,
          }),
        );
      case 'GET /callback':
        return respond(await sessions.finishSignIn(request));
      case 'POST /sign-out':
        return respond(await sessions.signOut(request));
      case 'GET /me':
        return me(request);
      case 'POST /later':
        await later(Number(searchParams.get('seconds')));
        return new Response();
      case 'GET /organizations':
        return Response.json(await organizations(searchParams.get('with') ?? '', searchParams.has('leave')));
      case 'GET /scenarios':
        return Response.json(
          await play({
            library: { client, session, webhooks },
            settings,
            now,
            later: () => later(360),
            rotations,
            inspect,
          }),
        );
      default:
        return hono.fetch(request);
    }
  };
}
