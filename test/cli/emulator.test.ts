import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLoopback } from '../../src/emulator/http/loopback.js';
import { takesLong } from '../runner/requirements.js';
import { commandLine, untilPrinted } from './programs.js';

const { run, file, sallyport, sallyportIn } = commandLine();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** An emulator that listens, and the JSON of its first line. */
const startEmulator = async (...args: string[]) => {
  const program = await untilPrinted(sallyport('emulator', '--port', '0', '--json', ...args), '}\n');
  return {
    ...program,
    ...(JSON.parse(program.output.out) as Record<'url' | 'apiKey' | 'clientId' | 'adminKey', string>),
  };
};

const seedFile = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

takesLong('sallyport emulator', () => {
  test("prints the emulator's URL and the environment variables for a client", async () => {
    const { output } = await untilPrinted(sallyport('emulator', '--port', '0'), 'Ctrl+C');

    expect(output.out).toMatch(/address +http:\/\/127\.0\.0\.1:\d+\n/);
    expect(output.out).toMatch(/console +http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(output.out).toMatch(/export SALLYPORT_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/);
    expect(output.out).toContain('export SALLYPORT_API_KEY=sk_test_sallyport_emulator\n');
    expect(output.out).toContain('export SALLYPORT_CLIENT_ID=client_sallyport_emulator\n');
    expect(output.out).toMatch(/export SALLYPORT_COOKIE_PASSWORD=\S{32,}\n/);
    expect(output.out).toContain('export SALLYPORT_REDIRECT_URI=http://localhost:3000/callback\n');
    expect(output.out).toContain('sk_live_sallyport_emulator with client_sallyport_emulator_production\n');
    expect(output.err).toBe('');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'with --json and --quiet prints only one line, and exits with code 0 after %s',
    async (signal) => {
      const { child, output, exit, url, apiKey, clientId, adminKey } = await startEmulator('--quiet');

      const health = await fetch(`${url}/health`);
      const known = await fetch(`${url}/organizations`, { headers: { authorization: `Bearer ${apiKey}` } });
      const unknown = await fetch(`${url}/organizations`, { headers: { authorization: 'Bearer sk_test_other' } });
      child.kill(signal);

      expect(await exit).toBe(0);
      expect(output.out).toBe(`${JSON.stringify({ url, apiKey, clientId, adminKey })}\n`);
      expect(output.err).toBe('');
      expect(clientId).toBe('client_sallyport_emulator');
      expect([health.status, known.status, unknown.status]).toEqual([200, 200, 401]);
    },
  );

  test('prints the status, client method and events of each request on one line', async () => {
    const { child, output, exit } = await untilPrinted(sallyport('emulator', '--port', '0'), 'Ctrl+C');
    const url = /address +(\S+)/.exec(output.out)![1]!;
    const headers = { authorization: 'Bearer sk_test_sallyport_emulator', 'content-type': 'application/json' };

    await fetch(`${url}/organizations`, { method: 'POST', headers, body: '{"name":"Tailspin"}' });
    await fetch(`${url}/organizations/org_none?token=hunter2`, { headers });
    child.kill('SIGTERM');
    await exit;

    const time = '  \\d\\d:\\d\\d:\\d\\d';
    expect(output.out).toMatch(
      new RegExp(
        `${time}  200  POST /organizations  [\\d.]+ ms  organizations\\.createOrganization  → organization\\.created\n` +
          `${time}  404  GET /organizations/org_none\\?token=…  [\\d.]+ ms  organizations\\.getOrganization  ignored: token\n$`,
      ),
    );
  });

  test('with --json prints a line of JSON for each request, even for requests with a production key', async () => {
    const { child, output, exit, url } = await startEmulator();

    await fetch(`${url}/organizations`, { headers: { authorization: 'Bearer sk_live_sallyport_emulator' } });
    child.kill('SIGTERM');
    await exit;

    const lines = output.out.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1]!)).toMatchObject({
      method: 'GET',
      path: '/organizations',
      status: 200,
      apiKey: 'sk_…ator',
    });
  });

  test('stops even if a connection is open', async () => {
    const { child, exit, url } = await startEmulator();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');

    child.kill('SIGTERM');

    expect(await exit).toBe(0);
    socket.destroy();
  });

  test('starts with the data from a seed file', async () => {
    const { url, apiKey } = await startEmulator('--seed', 'examples/company.yaml');

    const answer = await fetch(`${url}/organizations/org_northwind`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });

    expect(await answer.json()).toMatchObject({ name: 'Northwind Traders' });
  });

  test('lists the first ten users and passwords of a seed, and counts the remaining users', async () => {
    const users = Array.from({ length: 13 }, (_, at) => ({
      email: `user${at}@acme.test`,
      password: `harbour ${at} at dawn`,
    }));
    const file = seedFile('many.json', JSON.stringify({ users }));

    const { output } = await untilPrinted(sallyport('emulator', '--port', '0', '--seed', file), 'Ctrl+C');

    expect(output.out).toMatch(
      /sign in as user0@acme\.test {2}harbour 0 at dawn\n +user1@acme\.test {2}harbour 1 at dawn\n/,
    );
    expect(output.out).toMatch(/user9@acme\.test {2}harbour 9 at dawn\n +and 3 more\n/);
    expect(output.out).not.toContain('user10@acme.test');
  });

  test('prints neither passwords from a seed module nor terminal control characters from a seed', async () => {
    const file = seedFile(
      'secret.mjs',
      `export default { users: [
  { email: 'ada@acme.test', password: process.env.DEMO_PASSWORD },
  { email: 'grace@acme.test', password: 'a quiet harbour \\u001b[2J at dawn' },
] };`,
    );
    const env = { NO_COLOR: '1', DEMO_PASSWORD: 'from the environment alone' };

    const { output } = await untilPrinted(sallyportIn({ env }, 'emulator', '--port', '0', '--seed', file), 'Ctrl+C');

    expect(output.out).toContain('ada@acme.test    choose this user on the sign-in page');
    expect(output.out).not.toContain('from the environment');
    expect(output.out).not.toContain('\u001b');
  });

  test('prints no colors without a terminal, even on a CI server', async () => {
    const env = { CI: '1', NO_COLOR: '', FORCE_COLOR: '' };
    const { output } = await untilPrinted(sallyportIn({ env }, 'emulator', '--port', '0'), 'Ctrl+C');
    const coloured = await untilPrinted(
      sallyportIn({ env: { FORCE_COLOR: '1', NO_COLOR: '' } }, 'emulator', '--port', '0'),
      'Ctrl+C',
    );

    expect(output.out).not.toContain('\u001b');
    expect(coloured.output.out).toContain('\u001b');
  });

  test('names the file, line and field of an error in a seed, and prints no secrets', async () => {
    const file = seedFile('wrong.yaml', 'users:\n  - email: ada@acme.test\n    password: hunter2\n');

    const { output, exit } = sallyport('emulator', '--port', '0', '--seed', file);

    expect(await exit).toBe(1);
    expect(output.err).toContain(`${file}:3:15: users[0].password must have at least 8 characters`);
    expect(output.err).not.toContain('hunter2');
    expect(output.err).not.toMatch(/\n\s+at /);
    expect(output.out).toBe('');
  });

  /** The first page of a browser that starts a sign-in of Ada. */
  async function signInLocation({ url, clientId }: { readonly url: string; readonly clientId: string }) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'http://localhost:3000/callback',
      provider: 'hosted-login',
      login_hint: 'ada@acme.test',
    });
    const { headers } = await fetch(`${url}/user_management/authorize?${query}`, { redirect: 'manual' });
    return headers.get('location');
  }

  test('applies --auto-approve, --issuer and --access-token-lifetime to a sign-in', async () => {
    const flags = ['--auto-approve', '--issuer', 'https://auth.acme.test', '--access-token-lifetime', '42s'];
    const { url, apiKey, clientId } = await startEmulator(...flags);

    const code = new URL((await signInLocation({ url, clientId })) ?? '').searchParams.get('code');
    const answer = await fetch(`${url}/user_management/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: apiKey, grant_type: 'authorization_code', code }),
    });

    const { access_token: token } = (await answer.json()) as { access_token: string };
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.iss).toBe('https://auth.acme.test');
    expect(claims.exp - claims.iat).toBe(42);
  });

  test('passes the flags to the emulator as options', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const flags = [
      '--dialect',
      'workos',
      '--rate-limits',
      '--allow-host',
      'dev.acme.test',
      '--application-name',
      'Acme',
    ];
    const keys = ['--admin-key', 'ak_of_my_own', '--signing-key', seedFile('signing.pem', pem)];
    const { url, apiKey, clientId, adminKey } = await startEmulator(...flags, ...keys);
    const post = (path: string, key: string, body: object) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const open = async (host: string) => {
      const asked = request(`${url}/_emulator/inbox`, { headers: { host, accept: 'text/html' } }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'http://localhost:3000/callback',
      provider: 'authkit',
    });

    const made = await post('/organizations', apiKey, { name: 'Northwind' });
    const world = await post('/_emulator/worlds', 'ak_of_my_own', {});
    const jwks = await (await fetch(`${url}/sso/jwks/${clientId}`)).json();
    const mailed: number[] = [];
    for (let at = 0; at < 4; at++)
      mailed.push((await post('/user_management/magic_auth/send', apiKey, { email: 'ada@acme.test' })).status);
    const { headers } = await fetch(`${url}/user_management/authorize?${query}`, { redirect: 'manual' });
    const page = await fetch(new URL(headers.get('location') ?? '', url), {
      headers: { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' },
    });

    // The public service answers 201, but the specification says 200.
    expect(made.status).toBe(201);
    expect([adminKey, (await world.json()).name]).toEqual(['ak_of_my_own', 'w1']);
    // Node 20 may wait forever for the lock of a new key.
    const { n, e } = createPrivateKey(pem).export({ format: 'jwk' });
    expect(jwks).toMatchObject({ keys: [{ n, e }] });
    expect([mailed.slice(0, 3).every((status) => status < 300), mailed[3]]).toEqual([true, 429]);
    expect(await page.text()).toContain('to continue to <strong>Acme</strong>');
    expect(await Promise.all(['dev.acme.test', 'acme.test'].map(open))).toEqual([200, 403]);
  });

  test('uses the URL passed with --public-url', async () => {
    const { url } = await startEmulator('--public-url', 'http://login.acme.test:8080/');

    expect(url).toBe('http://login.acme.test:8080');
  });

  test('without --auto-approve shows a sign-in page', async () => {
    expect(await signInLocation(await startEmulator())).toMatch(/^\/hosted\/sign-in\?authorization=/);
  });

  test('exits without an error if the output pipe is closed', async () => {
    const program = await untilPrinted(
      run('bash', [
        ...['-c', '"$@" | head -n 1; exit $PIPESTATUS', 'bash'],
        ...[process.execPath, file(), 'emulator', '--port', '0', '--json'],
      ]),
      '}\n',
    );
    const { url, apiKey } = JSON.parse(program.output.out);
    const { status } = await fetch(`${url}/organizations`, { headers: { authorization: `Bearer ${apiKey}` } });

    expect([status, await program.exit, program.output.err]).toEqual([200, 0, '']);
  });

  test('treats flag values and arguments that look like numbers as strings', async () => {
    const state = join(folder, 'texts');
    mkdirSync(state);
    const started = sallyportIn({ cwd: state }, 'emulator', '--port', '0', '--json', '--state=007');
    const { url, adminKey } = JSON.parse((await untilPrinted(started, '}\n')).output.out);
    const control = async (...args: string[]) => {
      const { output, exit } = sallyport('control', ...args, '--url', url, '--admin-key', adminKey);
      return [await exit, output.err];
    };

    const created = await control('worlds.create', 'name=1234e56');
    const read = await control('clock.read', '--world', '1234e56');
    const seventh = await control('clock.read', '--world=07');
    started.child.kill('SIGTERM');
    await started.exit;

    expect([created, read]).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(seventh).toEqual([1, expect.stringContaining('No world has the name "07"')]);
    expect(readdirSync(state)).toContain('007');
  });

  test('rejects a port that is in use', async () => {
    const first = await startEmulator();
    const { port } = new URL(first.url);

    const { output, exit } = sallyport('emulator', '--port', port);

    expect(await exit).toBe(1);
    expect(output.err).toContain(`cannot listen on 127.0.0.1:${port}`);
    expect(output.err).toContain('0 picks a free one');
    expect(output.out).toBe('');
  });

  test('warns on standard error if other machines can reach the emulator', async () => {
    const open = await startEmulator('--host', '0.0.0.0');
    const own = await startEmulator('--host', 'localhost');
    open.child.kill('SIGTERM');
    own.child.kill('SIGTERM');
    await Promise.all([open.exit, own.exit]);

    expect(open.output.err).toContain(
      'WARNING: the emulator listens on 0.0.0.0, so anyone who can reach this machine can use it.',
    );
    expect(open.output.err).toContain('Its API key is public');
    expect(JSON.parse(open.output.out)).toMatchObject({ url: open.url });
    expect(own.output.err).toBe('');
  });

  test('can be started with npm run emulator and stopped with Ctrl+C', async () => {
    const npm = run('npm', ['run', '--silent', 'emulator', '--', '--port', '0', '--json']);
    await untilPrinted(npm, '}\n');

    const { url } = JSON.parse(npm.output.out);
    const health = await fetch(`${url}/health`);
    // A terminal sends the signal to every program in the foreground.
    process.kill(-npm.child.pid!, 'SIGINT');
    await npm.exit;

    expect(health.status).toBe(200);
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });

  test.each([
    ['an unknown option', ['emulator', '--prot', '1'], '--prot'],
    ['an unknown command', ['emulate'], 'sallyport has no command "emulate"'],
    ['an option without a command', ['--port'], 'No command was given'],
    ['an unexpected argument', ['emulator', 'company.yaml'], 'company.yaml'],
    ['a port that is too high', ['emulator', '--port', '70000'], '"70000"'],
    ['a port that is not a number', ['emulator', '--port', 'http'], '"http"'],
    [
      'a host name that cannot be resolved',
      ['emulator', '--port', '0', '--host', 'nowhere.invalid'],
      'nowhere.invalid',
    ],
    ['a token lifetime of zero', ['emulator', '--access-token-lifetime', '0s'], 'or 7d, not "0s"'],
    [
      'a signing key file that contains no key',
      ['emulator', '--signing-key', 'package.json'],
      'without kty, so not a JWK',
    ],
    ['--issuer without a value', ['emulator', '--issuer'], '--issuer'],
    ['a seed file that does not exist', ['emulator', '--seed', 'no-such-seed.yaml'], 'The file does not exist'],
    ['--seed without a value', ['emulator', '--seed'], '--seed'],
  ])('rejects %s', async (_what, args, message) => {
    const { output, exit } = sallyport(...args);

    expect(await exit).toBe(1);
    expect(output.err).toMatch(/^sallyport: /);
    expect(output.err).toContain(message);
    expect(output.err).not.toMatch(/\n\s+at /);
    expect(output.out).toBe('');
  });

  test.each([
    ['127.0.0.1', 'a loopback host', true],
    ['127.1.2.3', 'a loopback host', true],
    ['::1', 'a loopback host', true],
    ['localhost', 'a loopback host', true],
    ['emulator.localhost', 'a loopback host', true],
    ['0.0.0.0', 'reachable from other machines', false],
    ['::', 'reachable from other machines', false],
    ['192.168.1.7', 'reachable from other machines', false],
    ['127.example.com', 'reachable from other machines', false],
    ['localhost.example.com', 'reachable from other machines', false],
  ])('treats %s as %s', (host, _kind, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
