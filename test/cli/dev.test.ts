import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { decodeJwt } from 'jose';
import { Sallyport } from 'sallyport';
import { verifyWebhook } from 'sallyport/webhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Browser } from '../emulator/hosted/hosted-browser.js';
import { freePort } from '../frameworks/scripts.js';
import { takesLong } from '../runner/requirements.js';
import { commandLine, type Running, untilPrinted } from './programs.js';

const { file, run, sallyportIn } = commandLine();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-dev-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};

/** Applications, as programs for `node -e`. */
const printsItsVariables = 'console.log(JSON.stringify(process.env))';
const waits =
  "setInterval(() => {}, 1_000); process.on('SIGTERM', () => process.exit(7)).on('SIGINT', () => process.exit(8));";
const startsAnother = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', "process.on('SIGINT', () => {}); setInterval(() => {}, 1_000); console.log('ready')"]);
  child.stdout.once('data', () => console.log(JSON.stringify({ pid: child.pid })));`;

interface Setup {
  readonly port?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly flags?: readonly string[];
}

/** `sallyport dev` with an application, in the folder of this test. */
const dev = (application: string, { port = '0', env, flags = [] }: Setup = {}): Running =>
  sallyportIn(
    { cwd: folder, env: { NO_COLOR: '1', ...env } },
    ...['dev', '--port', port, ...flags, '--', process.execPath, '-e', application],
  );

/** The variables of an application. */
async function variablesWith(setup?: Setup): Promise<NodeJS.ProcessEnv> {
  const { output, exit } = dev(printsItsVariables, setup);
  expect(await exit).toBe(0);
  return JSON.parse(output.out);
}

/** The credentials of a client of the emulator. */
const emulatorKeys = { apiKey: 'sk_test_sallyport_emulator', clientId: 'client_sallyport_emulator' };

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

takesLong('sallyport dev', () => {
  test('sets and prints the environment variables of the application', async () => {
    const { output, exit } = dev(printsItsVariables);
    expect(await exit).toBe(0);

    const variables = JSON.parse(output.out);
    expect(variables).toMatchObject({
      SALLYPORT_CLIENT_ID: 'client_sallyport_emulator',
      SALLYPORT_API_KEY: 'sk_test_sallyport_emulator',
      SALLYPORT_REDIRECT_URI: 'http://localhost:3000/callback',
    });
    expect(variables.SALLYPORT_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(Buffer.from(variables.SALLYPORT_COOKIE_PASSWORD, 'base64url')).toHaveLength(32);
    const words = output.err.replace(/ +/g, ' ');
    expect(words).toContain(
      [
        ' Variables set for your application',
        ` SALLYPORT_BASE_URL ${variables.SALLYPORT_BASE_URL}`,
        ' SALLYPORT_CLIENT_ID client_sallyport_emulator',
        ' SALLYPORT_API_KEY sk_test_sallyport_emulator',
        ' SALLYPORT_COOKIE_PASSWORD random, for this run only',
        ' SALLYPORT_REDIRECT_URI http://localhost:3000/callback\n',
      ].join('\n'),
    );
    expect(output.err).not.toContain(variables.SALLYPORT_COOKIE_PASSWORD);
  });

  test('uses the next free port if port 4100 is taken, unless --port is given', async () => {
    const other = createServer().listen(4100, '127.0.0.1');
    // Another process may already use the port.
    await new Promise((settled) => other.once('listening', settled).once('error', settled));
    const inFolder = (...flags: string[]): Running =>
      sallyportIn({ cwd: folder }, 'dev', ...flags, '--', process.execPath, '-e', printsItsVariables);

    const moved = inFolder();
    const named = inFolder('--port', '4100');
    const codes = [await moved.exit, await named.exit];
    other.close();

    const { SALLYPORT_BASE_URL: url } = JSON.parse(moved.output.out);
    expect(codes).toEqual([0, 1]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:41(?:0[1-9]|1\d|20)$/);
    expect(moved.output.err).toContain(
      `Port 4100 is in use, perhaps by another emulator, so this one listens at ${url}.`,
    );
    expect(named.output.err).toContain('cannot listen on 127.0.0.1:4100');
  });

  test("does not mix messages into the application's output", async () => {
    const { output, exit } = dev("process.stdout.write('one'); process.stderr.write('\\ntwo');");
    await exit;

    expect(output.out).toBe('one');
    expect(output.err).toMatch(/\n\ntwo$/);
  });

  test('provides a user who can sign in with the printed password', async () => {
    const { output } = await untilPrinted(dev(waits), 'Starting', 'err');
    const [, url] = output.err.match(/at (http:\S+)/) ?? [];
    const [, email, password] = output.err.match(/Sign in as (\S+) with the password (.+)/) ?? [];

    const answer = await fetch(`${url}/user_management/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: 'client_sallyport_emulator',
        client_secret: 'sk_test_sallyport_emulator',
        grant_type: 'password',
        email,
        password,
      }),
    });

    expect(await answer.json()).toMatchObject({ user: { email: 'ada@acme.test' }, organization_id: 'org_acme' });
  });

  test('provides a second user who has no permissions', async () => {
    const { output } = await untilPrinted(dev(waits), 'Starting', 'err');
    const [, url] = output.err.match(/at (http:\S+)/) ?? [];

    expect(output.err).toContain('or as grace@acme.test with the same password, but without permissions\n');
    const { userManagement } = new Sallyport({ baseUrl: url, ...emulatorKeys });
    const password = 'a quiet harbour at dawn';
    const [ada, grace] = await Promise.all(
      ['ada@acme.test', 'grace@acme.test'].map((email) => userManagement.authenticateWithPassword({ email, password })),
    );
    expect(decodeJwt(ada!.accessToken)).toMatchObject({ permissions: ['members:manage', 'reports:read'] });
    expect(decodeJwt(grace!.accessToken)).toMatchObject({ org_id: 'org_acme', permissions: [] });
  });

  test('delivers signed events to the path given with --webhooks', async () => {
    const receives = `
      const { createServer } = require('node:http');
      const print = (value) => console.log(JSON.stringify(value));
      createServer(async (request, response) => {
        let payload = '';
        for await (const chunk of request) payload += chunk;
        response.end();
        print({ payload, url: request.url, sigHeader: request.headers['workos-signature'], secret: process.env.SALLYPORT_WEBHOOK_SECRET });
      }).listen(process.env.PORT, () => print('listening'));`;
    const port = await freePort();
    const application = dev(receives, { env: { PORT: `${port}` }, flags: ['--webhooks', '/webhooks'] });
    const { output } = await untilPrinted(application, 'listening');
    const [, url] = output.err.match(/at (http:\S+)/) ?? [];

    await new Sallyport({ baseUrl: url, ...emulatorKeys }).userManagement.createUser({ email: 'linus@acme.test' });
    await untilPrinted(application, 'linus@acme.test');

    const { url: path, ...delivery } = JSON.parse(output.out.split('\n')[1] ?? '');
    expect(path).toBe('/webhooks');
    expect(await verifyWebhook(delivery)).toMatchObject({ event: 'user.created', data: { email: 'linus@acme.test' } });
    expect((await variablesWith()).SALLYPORT_WEBHOOK_SECRET).toBeUndefined();
  });

  test('prints the reason for a failed webhook delivery, and retries the delivery within seconds', async () => {
    const fails = `
      const { createServer } = require('node:http');
      let received = 0;
      createServer((request, response) => {
        response.writeHead(++received === 1 ? 500 : 200).end();
        console.log('webhook ' + received);
      }).listen(process.env.PORT, () => console.log('listening'));`;
    const port = await freePort();
    const application = dev(fails, { env: { PORT: `${port}` }, flags: ['--webhooks', '/webhooks?key=abcdef'] });
    const { output } = await untilPrinted(application, 'listening');
    const [, url] = output.err.match(/at (http:\S+)/) ?? [];

    await new Sallyport({ baseUrl: url, ...emulatorKeys }).userManagement.createUser({ email: 'linus@acme.test' });
    await untilPrinted(application, 'webhook 2');

    const [, printed] = output.err.split('Ctrl+C');
    expect(printed?.split('\n').slice(2)).toEqual([
      'sallyport: Webhook user.created failed: status 500. Trying again in 2 seconds.',
      '',
    ]);
  });

  test('waits for a webhook route that needs more than five seconds to compile', async () => {
    const compiles = `
      const { createServer } = require('node:http');
      let received = 0;
      createServer((request, response) => {
        received++;
        setTimeout(() => {
          response.end();
          console.log('answered after ' + received);
        }, 6_000);
      }).listen(process.env.PORT, () => console.log('listening'));`;
    const port = await freePort();
    const application = dev(compiles, { env: { PORT: `${port}` }, flags: ['--webhooks', '/webhooks'] });
    const { output } = await untilPrinted(application, 'listening');
    const [, url] = output.err.match(/at (http:\S+)/) ?? [];

    await new Sallyport({ baseUrl: url, ...emulatorKeys }).userManagement.createUser({ email: 'linus@acme.test' });
    await untilPrinted(application, 'answered after');

    expect(output.out).toContain('answered after 1\n');
    expect(output.err).not.toContain('failed');
  });

  test('accepts the native redirect URI given with --redirect-uri, but no other native redirect URI', async () => {
    const native = 'com.example.app:/callback';
    const { output } = await untilPrinted(
      dev(waits, { flags: ['--auto-approve', '--redirect-uri', native, '--webhooks', '/hooks'] }),
      'Ctrl+C',
      'err',
    );
    const [, url = ''] = output.err.match(/at (http:\S+)/) ?? [];
    const answerTo = (redirectUri: string) =>
      fetch(
        `${url}/user_management/authorize?${new URLSearchParams({
          client_id: emulatorKeys.clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          provider: 'authkit',
          login_hint: 'ada@acme.test',
        })}`,
        { redirect: 'manual' },
      );

    const back = await answerTo(native);
    const stranger = await answerTo('com.example.other:/callback');
    const web = await answerTo('http://localhost:3000/callback');

    expect([back.status, back.headers.get('location')?.split('code=')[0]]).toEqual([302, `${native}?`]);
    expect([stranger.status, stranger.headers.get('location')]).toEqual([400, null]);
    expect(web.headers.get('location')).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
    expect(output.err).toMatch(/SALLYPORT_REDIRECT_URI +com\.example\.app:\/callback\n/);
    expect(output.err).toMatch(/SALLYPORT_WEBHOOK_SECRET +\S/);
    expect(output.err).not.toContain('which has no dot');
  });

  test('warns about a redirect URI whose scheme contains no dot', async () => {
    const { output, exit } = dev('', { flags: ['--redirect-uri', 'acme:/callback'] });

    expect(await exit).toBe(0);
    expect(output.err).toContain('sallyport: The redirect URI acme:/callback has the scheme acme, which has no dot.');
  });

  test('shows a link to the application after an invitation is accepted', async () => {
    const { output } = await untilPrinted(
      dev(waits, { flags: ['--redirect-uri', 'http://localhost:5999/back'] }),
      'Ctrl+C',
      'err',
    );
    const [, url = ''] = output.err.match(/at (http:\S+)/) ?? [];
    const sallyport = new Sallyport({ baseUrl: url, ...emulatorKeys });
    const invited = await sallyport.userManagement.sendInvitation({ email: 'linus@acme.test' });
    const browser = new Browser({ url, fetch });

    await browser.open(`/invitations/accept?token=${invited.token}`);
    const buttons = browser.buttons;
    await browser.press('Accept without signing in');
    const title = browser.title;
    await browser.follow('Go to localhost:5999');

    expect(buttons).toEqual(['Create an account and accept', 'Accept without signing in']);
    expect(title).toBe('Invitation accepted');
    expect(browser.left?.href).toBe('http://localhost:5999/');
  });

  test('rejects an invalid --webhooks option before starting the application', async () => {
    const { output, exit } = dev(printsItsVariables, { flags: ['--webhooks', 'ftp://files'] });

    expect(await exit).toBe(1);
    expect(output.err).toContain(
      '--webhooks must be a path of your application, such as /webhooks, not "ftp://files".',
    );
    expect(output.out).toBe('');
  });

  test('lists the users in a seed', async () => {
    const { output, exit } = dev('', { flags: ['--seed', resolve('examples/company.yaml')] });
    await exit;

    expect(output.err).toMatch(
      /Sign in as one of the users of \S+company\.yaml:\n +ada@northwind\.test +correct horse battery staple\n +bruno@northwind\.test /,
    );
    expect(output.err).not.toContain('ada@acme.test');
  });

  test('prefers variables in the shell to variables in .env.local, and .env.local to .env', async () => {
    write({
      '.env': [
        'SALLYPORT_CLIENT_ID=client_of_env',
        'SALLYPORT_REDIRECT_URI=http://localhost:4000/callback',
        'SALLYPORT_WEBHOOK_SECRET=whsec_of_the_project',
        `SALLYPORT_COOKIE_PASSWORD=${'b'.repeat(40)}`,
        'SALLYPORT_API_KEY=',
        'OTHER=left to the framework',
      ].join('\n'),
      '.env.local': `SALLYPORT_COOKIE_PASSWORD="${'a'.repeat(40)}"\nSALLYPORT_CLIENT_ID=client_of_env_local\n`,
    });

    const { output, exit } = dev(printsItsVariables, { env: { SALLYPORT_CLIENT_ID: 'client_of_shell' } });
    await exit;

    const variables = JSON.parse(output.out);
    expect(variables).toMatchObject({
      SALLYPORT_CLIENT_ID: 'client_of_shell',
      SALLYPORT_API_KEY: 'sk_test_sallyport_emulator',
      SALLYPORT_COOKIE_PASSWORD: 'a'.repeat(40),
      SALLYPORT_REDIRECT_URI: 'http://localhost:4000/callback',
      SALLYPORT_WEBHOOK_SECRET: 'whsec_of_the_project',
    });
    expect(variables.OTHER).toBeUndefined();
    const words = output.err.replace(/ +/g, ' ');
    expect(words).toContain('From your shell\n SALLYPORT_CLIENT_ID client_of_shell\n');
    expect(words).toContain('From .env.local\n SALLYPORT_COOKIE_PASSWORD …\n');
    expect(words).not.toContain('aaaa');
    expect(words).not.toContain('whsec_of');
  });

  test("configures the emulator with the project's API key and client id, and the project with the emulator's URL", async () => {
    const key = 'sk_test_of_the_project';
    write({
      '.env.local': `SALLYPORT_BASE_URL=https://api.acme.test\nSALLYPORT_API_KEY=${key}\nSALLYPORT_CLIENT_ID=client_ours\n`,
    });
    const { output } = await untilPrinted(dev(`${printsItsVariables}; ${waits}`), '}\n');
    const { SALLYPORT_BASE_URL: url, SALLYPORT_API_KEY, SALLYPORT_CLIENT_ID } = JSON.parse(output.out);

    const organizations = await fetch(`${url}/organizations`, { headers: { authorization: `Bearer ${key}` } });
    const keys = await fetch(`${url}/sso/jwks/client_ours`);

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect([SALLYPORT_API_KEY, SALLYPORT_CLIENT_ID]).toEqual([key, 'client_ours']);
    expect([organizations.status, keys.status]).toEqual([200, 200]);
    expect(output.err).not.toContain(key);
  });

  test.each([
    ['workos if the project configures no service', '', 'workos'],
    ['spec if the project sets a base URL but no dialect', 'SALLYPORT_BASE_URL=https://api.acme.test\n', 'spec'],
    ['spec if the project sets SALLYPORT_DIALECT=spec', 'SALLYPORT_DIALECT=spec\n', 'spec'],
  ])('uses the dialect %s', async (_what, text, dialect) => {
    write({ '.env.local': text });

    expect((await variablesWith()).SALLYPORT_DIALECT).toBe(dialect);
  });

  test('keeps a base URL set in the shell, and prints a warning', async () => {
    const { output, exit } = dev(printsItsVariables, { env: { SALLYPORT_BASE_URL: 'https://api.acme.test' } });
    await exit;

    expect(JSON.parse(output.out).SALLYPORT_BASE_URL).toBe('https://api.acme.test');
    expect(output.err).toContain('SALLYPORT_BASE_URL is set to https://api.acme.test in your shell');
  });

  test.each([
    ['next', {}, 'http://localhost:3000/callback'],
    ['next', { PORT: '4000' }, 'http://localhost:4000/callback'],
    ['@sveltejs/kit', {}, 'http://localhost:5173/callback'],
    ['@sveltejs/kit', { PORT: '4000' }, 'http://localhost:5173/callback'],
    ['astro', {}, 'http://localhost:4321/callback'],
  ])('in a project with %s and the environment %j uses the redirect URI %s', async (dependency, env, expected) => {
    write({ 'package.json': JSON.stringify({ devDependencies: { [dependency]: '1.0.0' } }) });

    expect((await variablesWith({ env })).SALLYPORT_REDIRECT_URI).toBe(expected);
  });

  test('uses the redirect URI given with --redirect-uri, and warns if the port of the URI is taken', async () => {
    const server = createServer().listen(0, 'localhost');
    await new Promise((done) => server.once('listening', done));
    const taken = `http://localhost:${(server.address() as AddressInfo).port}`;

    const { output, exit } = dev(printsItsVariables, { flags: ['--redirect-uri', `${taken}/auth/back`] });
    await exit;
    server.close();
    const quiet = dev(printsItsVariables, { flags: ['--redirect-uri', `${taken}/auth/back`] });
    await quiet.exit;

    expect(JSON.parse(output.out).SALLYPORT_REDIRECT_URI).toBe(`${taken}/auth/back`);
    expect(output.err).toContain(`Another program is already listening at ${taken}`);
    expect(quiet.output.err).not.toContain('Another program');
  });

  test("exits with the application's exit code, and ends the emulator", async () => {
    const { output, exit } = dev(`${printsItsVariables}; process.exitCode = 3`);

    expect(await exit).toBe(3);
    await expect(fetch(JSON.parse(output.out).SALLYPORT_BASE_URL)).rejects.toThrow('fetch failed');
  });

  test.each([
    ['SIGTERM', 7],
    ['SIGINT', 8],
  ] as const)("passes %s on to the application, and exits with the application's exit code", async (signal, code) => {
    const { child, output, exit } = await untilPrinted(dev(`${waits} ${printsItsVariables}`), '}\n');
    child.kill(signal);

    expect(await exit).toBe(code);
    await expect(fetch(JSON.parse(output.out).SALLYPORT_BASE_URL)).rejects.toThrow('fetch failed');
  });

  test('ends an application on SIGTERM even if it is still starting', async () => {
    write({
      'signal.cjs': `
        const processes = require('node:child_process');
        const { spawn } = processes;
        processes.spawn = (...args) => {
          const child = spawn(...args);
          process.kill(process.pid, 'SIGTERM');
          return child;
        };
        require('node:module').syncBuiltinESMExports();`,
    });

    const started = dev(`setTimeout(() => console.log('still running'), 5_000);`, {
      env: { NODE_OPTIONS: `--require=${join(folder, 'signal.cjs')}` },
    });

    // A shell gives a program that SIGTERM has ended this exit code.
    expect(await started.exit).toBe(143);
    expect(started.output.out).toBe('');
  });

  test("ends the application's child processes on SIGINT", async () => {
    const { child, output, exit } = await untilPrinted(dev(`${waits} ${startsAnother}`), '}\n');
    const { pid } = JSON.parse(output.out);
    const before = isAlive(pid);
    child.kill('SIGINT');

    expect(await exit).toBe(8);
    expect(before).toBe(true);
    // A process that has ended is still found until the system has collected it.
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('ends processes that the application has left running', async () => {
    const { output, exit } = dev(
      `${startsAnother} child.stdout.once('data', () => setImmediate(() => process.exit(0)));`,
    );

    expect(await exit).toBe(0);
    await expect.poll(() => isAlive(JSON.parse(output.out).pid)).toBe(false);
  });

  test('kills an application that ignores a repeated signal', async () => {
    const { child, exit } = await untilPrinted(
      dev("setInterval(() => {}, 1_000); process.on('SIGINT', () => {}); console.log('ready');"),
      'ready',
    );
    const again = setInterval(() => child.kill('SIGINT'), 100);

    // The exit code of a killed program in a shell.
    expect(await exit).toBe(137);
    clearInterval(again);
  });

  test.each([
    ['a program', ['node', 'server.js'], 'once'],
    // npm repeats for its scripts the signal that the terminal has sent them.
    ['an npm script', ['npm', 'run', '--silent', 'dev'], 'on'],
  ])('started through npx lets %s exit gracefully after one Ctrl+C', async (_what, command, once) => {
    write({
      'package.json': JSON.stringify({ private: true, scripts: { dev: 'node server.js' } }),
      'server.js': `setInterval(() => {}, 1_000);
        process.${once}('SIGINT', () => setTimeout(() => { console.log('goodbye'); process.exit(0); }, 50));
        ${printsItsVariables}`,
    });
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    writeFileSync(
      join(folder, 'node_modules/.bin/sallyport'),
      `#!/bin/sh\nexec "${process.execPath}" "${file()}" "$@"\n`,
      { mode: 0o755 },
    );
    const args = ['--no-install', 'sallyport', 'dev', '--port', '0', '--', ...command];
    const npx = await untilPrinted(run('npx', args, { cwd: folder, env: { NO_COLOR: '1' } }), '}\n');

    // A terminal sends the signal to every program in the foreground.
    process.kill(-npx.child.pid!, 'SIGINT');
    await npx.exit;

    const [variables, goodbye] = npx.output.out.split('\n');
    expect(goodbye).toBe('goodbye');
    await expect(fetch(JSON.parse(variables!).SALLYPORT_BASE_URL)).rejects.toThrow('fetch failed');
  });

  test.each([
    ['the command after -- is empty', ['dev', '--'], 'needs the command that starts your application'],
    ['no command is passed', ['dev'], 'Write it after --: sallyport dev -- npm run dev'],
    ['the command is not preceded by --', ['dev', 'npm', 'run', 'dev', '--', '--turbo'], 'Write -- before the command'],
    ['an option is unknown', ['dev', '--prot', '1', '--', 'true'], '--prot'],
    ['the program is not found', ['dev', '--port', '0', '--', 'no-such-program'], 'The program was not found'],
    [
      'the whole command is in quotation marks',
      ['dev', '--port', '0', '--', 'npm run dev'],
      'without quotes around the whole command',
    ],
    ['the redirect URI is invalid', ['dev', '--redirect-uri', 'localhost:3000', '--', 'true'], 'not "localhost:3000"'],
    [
      'the redirect URI has the scheme javascript',
      ['dev', '--redirect-uri', 'javascript:/callback', '--', 'true'],
      'not "javascript:/callback"',
    ],
    [
      'the redirect URI is native and the dialect is spec',
      ['dev', '--dialect', 'spec', '--redirect-uri', 'com.example.app:/callback', '--', 'true'],
      'or com.example.app:/callback in dialect workos, not "com.example.app:/callback"',
    ],
    ['the seed file does not exist', ['dev', '--seed', 'no-such-seed.yaml', '--', 'true'], 'The file does not exist'],
  ])('exits with code 1 if %s', async (_what, args, message) => {
    const { output, exit } = sallyportIn({ cwd: folder }, ...args);

    expect(await exit).toBe(1);
    expect(output.err).toMatch(/^sallyport: /m);
    expect(output.err).toContain(message);
    expect(output.err).not.toMatch(/\n\s+at /);
    expect(output.out).toBe('');
  });

  test('rejects a port that is in use, and does not start the application', async () => {
    const first = await untilPrinted(dev(`${waits} ${printsItsVariables}`), '}\n');
    const { port } = new URL(JSON.parse(first.output.out).SALLYPORT_BASE_URL);

    const { output, exit } = dev(printsItsVariables, { port });

    expect(await exit).toBe(1);
    expect(output.err).toContain(`cannot listen on 127.0.0.1:${port}`);
    expect(output.out).toBe('');
  });

  test('rejects an invalid redirect URI in .env, and names the file', async () => {
    write({ '.env': 'SALLYPORT_REDIRECT_URI=/callback\n' });

    const { output, exit } = dev(printsItsVariables);

    expect(await exit).toBe(1);
    expect(output.err).toContain('SALLYPORT_REDIRECT_URI in .env must be an absolute URL');
  });
});
