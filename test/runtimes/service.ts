import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { deferred } from '../deferred.js';
import { Jar } from '../session/jar.js';
import { ada, grace, type Settings } from './settings.js';

/** The service that a runtime reaches over HTTP, in this process. */
export interface Service {
  readonly settings: Settings;
  /** The number of refresh tokens that were exchanged. */
  rotations(): number;
  /** The user of a `Cookie` header, as read by the Node of the tests. */
  whoIs(cookie: string): Promise<string | undefined>;
  /** Create new keys, which sign from now on. */
  rotateKeys(): Promise<unknown>;
  /** Delay responses of paths with this start from now on. `reached` resolves with the first such request. */
  hold(path: string): { readonly reached: Promise<void>; release(): void };
  close(): Promise<void>;
}

const password = 'correct-horse-battery-staple-0001';
const organizations = ['Acme', 'Initech', 'Northwind'];

/**
 * Starts an emulator that signs in the user of every authorization URL, behind a server with commands over HTTP:
 *
 * - `POST /-/later?seconds=…`: time passes; `POST /-/rotate-keys`; `GET /-/rotations`
 * - `/-/without-keys/…`, `/-/failing/…`, `/-/silent/…`: the service without its key set, failing, or never answering
 */
export async function startService(): Promise<Service> {
  const emulator = await createEmulator({ autoApprove: true });
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const metadata = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`key_${at}`, 'x'.repeat(500)]));
  await sallyport.userManagement.createUser({ email: ada, emailVerified: true, password: 'analytical-engine' });
  await sallyport.userManagement.createUser({ email: grace, emailVerified: true, metadata });
  for (const name of organizations) await sallyport.organizations.createOrganization({ name });

  const rotations = () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;
  let held: { readonly path: string; readonly over: Promise<void>; readonly onReached: () => void } | undefined;

  const pass = async (request: IncomingMessage, path: string, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value);
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const fetched = await emulator.fetch(path, {
      method: request.method ?? 'GET',
      headers,
      redirect: 'manual',
      ...body,
    });
    const answered = Buffer.from(await fetched.arrayBuffer());
    if (held && path.startsWith(held.path)) {
      held.onReached();
      await held.over;
    }
    response.writeHead(fetched.status, Object.fromEntries(fetched.headers)).end(answered);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const path = request.url ?? '/';
    const [, place, rest = ''] = /^\/-\/([\w-]+)(.*)$/.exec(path) ?? [];
    switch (place) {
      case undefined:
        return pass(request, path, response);
      case 'later':
        await emulator.clock.advance(`${Number(new URLSearchParams(rest).get('seconds'))}s`);
        return response.end();
      case 'rotate-keys':
        await emulator.keys.rotate();
        return response.end();
      case 'rotations':
        return response.end(`${rotations()}`);
      case 'without-keys':
        if (!rest.startsWith('/sso/jwks/')) return pass(request, rest, response);
        return response.writeHead(503).end();
      case 'failing':
        return response.writeHead(503).end();
      default:
        // It never answers.
        return undefined;
    }
  };
  const front = createServer((request, response) => {
    // The caller or the emulator has left.
    answer(request, response).catch(() => response.destroy());
  });
  const listen = async (server: typeof front): Promise<string> => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A server that listens on a port has an address with a port.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const closed = async (server: typeof front): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };

  const service = { ...emulator.credentials, baseUrl: await listen(front) };
  const absent = createServer();
  const nobody = await listen(absent);
  await closed(absent);
  const sessions = createSessions({ ...service, cookiePassword: password, now: emulator.clock.now });
  const jar = new Jar();
  jar.keep(
    await sessions.create(
      await sallyport.userManagement.authenticateWithPassword({ email: ada, password: 'analytical-engine' }),
    ),
  );
  return {
    settings: { service, password, nobody, sealedElsewhere: jar.header, organizations },
    rotations,
    whoIs: async (cookie) => (await sessions.handle({ headers: { cookie } })).session?.user.email,
    rotateKeys: () => emulator.keys.rotate(),
    hold: (path) => {
      const { promise: reached, resolve: onReached } = deferred<void>();
      const { promise: over, resolve: end } = deferred<void>();
      held = { path, over, onReached };
      const release = () => {
        held = undefined;
        end();
      };
      return { reached, release };
    },
    close: async () => {
      await closed(front);
      await emulator.close();
    },
  };
}
