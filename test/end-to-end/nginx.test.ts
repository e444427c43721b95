import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expressSession } from 'sallyport/express';
import { createSessions, type SessionProblem } from 'sallyport/session';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../adapters/hosts.js';
import { requires } from '../runner/requirements.js';
import { captureWarnings } from '../runner/warnings.js';
import { browse } from '../session/browse.js';
import { Jar } from '../session/jar.js';
import { stage } from '../stage.js';

captureWarnings();

const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** The configuration for nginx in the documentation. */
const documented = /```nginx\n([^`]+)```/.exec(readFileSync('docs/guides/deployment.md', 'utf8'))?.[1] ?? '';

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Starts nginx in front of an application. Returns its URL. */
async function behindNginx(target: string, port: number, lines: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http {
  access_log off; ${temporary.join(' ')}
  ${lines}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${target}; proxy_set_header Host $http_host; }
  }
}`,
  );
  const child = spawn('/usr/sbin/nginx', ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await browse(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'));
    await pause(20);
  }
  return url;
}

/** Signs Ada in through nginx with this configuration. Returns the status of the callback and of her page, and the problems. */
async function signInThrough(lines: string) {
  const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key_${at}`, 'v'.repeat(500)]));
  const seed = { users: [{ id: 'user_ada', email: 'ada@example.com', email_verified: true, metadata }] };
  const { emulator } = await stage({ autoApprove: true, seed });
  const port = await freePort();
  const redirectUri = `http://127.0.0.1:${port}/callback`;
  await emulator.addRedirectUri(redirectUri);
  const problems: SessionProblem[] = [];
  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword: 'a password of more than 32 characters',
    redirectUri,
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
    onProblem: (problem) => void problems.push(problem),
  });
  const run = expressSession(sessions, { protect: ['/account'], routes: true });
  const application = await listening(
    createServer((request, response) => run(request, response, () => response.end('page'))),
  );
  const url = await behindNginx(application.url, port, lines);
  const jar = new Jar();
  const open = async (address: string) => {
    const response = await browse(address, { ...page, ...jar.headers });
    jar.keep(response.headers);
    await response.arrayBuffer();
    return response;
  };
  const started = await open(`${url}/account`);
  const approved = await emulator.fetch(`${started.headers.get('location')}&login_hint=ada@example.com`, {
    redirect: 'manual',
  });
  const { pathname, search } = new URL(approved.headers.get('location') ?? '');
  // The application repeats the sign-in for the same code, so its cookies can be read without nginx.
  const direct = jar.copy();
  const through = await open(url + pathname + search);
  const response = await browse(application.url + pathname + search, { ...page, ...direct.headers });
  direct.keep(response.headers);
  const visited = await browse(`${url}/account`, { ...page, ...direct.headers });
  return { callback: through.status, page: visited.status, bytes: direct.header.length, problems };
}

requires('nginx')('behind nginx, an application with a 9 KB session cookie', () => {
  test('cannot sign users in by default, and reports a large_cookies problem', async () => {
    const { callback, page, bytes, problems } = await signInThrough('');

    expect(bytes).toBeGreaterThan(8_192);
    expect([callback, page]).toEqual([502, 400]);
    expect(problems.map(({ code }) => code)).toEqual(['large_cookies']);
  });

  test('signs users in with the documented configuration', async () => {
    expect(documented).toContain('proxy_buffer_size');

    expect(await signInThrough(documented)).toMatchObject({ callback: 302, page: 200 });
  });
});
