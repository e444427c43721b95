import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { bundled } from '../transport/process.js';
import { folderOf, installed, publicService, whereabouts } from './run.js';

const setup = `
  import { Sallyport } from 'sallyport';
  import { createSessions } from './src/session/index.js';
  const { SERVICE: baseUrl, API_KEY: apiKey, CLIENT_ID: clientId, PROXY, UNDICI } = process.env;
  const service = { apiKey, clientId, baseUrl, dialect: 'workos' };
`;

const check = `
  const credentials = { email: 'ada@acme.test', password: 'correct horse battery staple' };
  const tokens = await sallyport.userManagement.authenticateWithPassword(credentials);
  const cookie = (await sessions.create(tokens)).map((line) => line.split(';')[0]).join('; ');
  console.log((await sessions.handle({ headers: { cookie } })).status);
`;

requires('node24', installed('undici'))('calls to the service', () => {
  let emulator: Emulator;
  let proxy: Server;
  /** Addresses that were requested through the proxy. */
  let proxied: string[] = [];

  beforeAll(async () => {
    emulator = await publicService({
      users: [{ email: 'ada@acme.test', email_verified: true, password: 'correct horse battery staple' }],
    });
    proxy = createServer((request, response) => {
      proxied.push(new URL(request.url ?? '').pathname);
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', async () => {
        const { method = 'GET', headers } = request;
        const { authorization = '', 'content-type': type = '' } = headers;
        const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
        const answer = await fetch(request.url ?? '', {
          method,
          headers: { authorization, 'content-type': type },
          ...body,
        });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
    });
    proxy.on('connect', ({ url = '' }, socket, head) => {
      proxied.push(url);
      const [host, port] = url.split(':');
      const target = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        target.write(head);
        target.pipe(socket).pipe(target);
      });
      for (const one of [target, socket]) one.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await emulator.close();
  });

  const run = async (script: string, env: Readonly<Record<string, string>> = {}) => {
    proxied = [];
    // A server that listens on a port has an address with a port.
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { stdout } = await promisify(execFile)('node24', [await bundled(setup + script)], {
      env: {
        ...process.env,
        ...whereabouts(emulator),
        PROXY: address,
        HTTP_PROXY: address,
        UNDICI: join(folderOf('undici'), 'node_modules/undici/index.js'),
        ...env,
      },
      timeout: 60_000,
    });
    return stdout;
  };

  test('can go through a proxy if the dispatcher and fetch come from the same release of undici', async () => {
    const printed = await run(`
      const { fetch, ProxyAgent } = (await import(UNDICI)).default;
      const dispatcher = new ProxyAgent(PROXY ?? '');
      const sallyport = new Sallyport({ ...service, fetch, fetchOptions: { dispatcher } });
      const sessions = createSessions({
        ...service,
        cookiePassword: 'correct-horse-battery-staple-0001',
        fetch: (input, init) => fetch(input, { ...init, dispatcher }),
      });
      ${check}
    `);

    expect(printed).toBe('active\n');
    expect(proxied.length).toBeGreaterThanOrEqual(2);
  });

  test('go through the proxy in HTTP_PROXY only if NODE_USE_ENV_PROXY is set', async () => {
    const script = `
      const sallyport = new Sallyport(service);
      const sessions = createSessions({ ...service, cookiePassword: 'correct-horse-battery-staple-0001' });
      ${check}
    `;

    expect(await run(script, { NODE_USE_ENV_PROXY: '1' })).toBe('active\n');
    expect(proxied.length).toBeGreaterThan(0);
    expect(await run(script)).toBe('active\n');
    expect(proxied).toEqual([]);
  });

  test('fail immediately with an error about undici if the dispatcher and fetch come from different releases', async () => {
    const printed = await run(`
      const { Agent } = (await import(UNDICI)).default;
      const fetchOptions = { dispatcher: new Agent() };
      await new Sallyport({ ...service, fetchOptions }).organizations.getOrganization('org_1').catch((error) => {
        console.log(error.code, error.attempts, error.message);
      });
    `);

    expect(printed).toMatch(
      /^connection_failed 1 .*The dispatcher belongs to another undici than fetch\. Pass the fetch of its undici, too/,
    );
  });
});
