import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { company, stage } from '../stage.js';
import { commandLine } from './programs.js';

takesLong('sallyport control', () => {
  const { sallyportIn } = commandLine();

  /** An emulator on a port, and the command line with the variables that it prints. */
  async function running() {
    const { emulator, sallyport } = await stage({ listen: true, seed: company });
    const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin?: string) => {
      const variables = { ...emulator.env, SALLYPORT_ADMIN_KEY: emulator.adminKey };
      const { child, output, exit } = sallyportIn({ env: { NO_COLOR: '1', ...variables, ...env } }, 'control', ...args);
      child.stdin?.end(stdin);
      return { code: await exit, ...output };
    };
    return { emulator, sallyport, run };
  }

  test('moves the clock, and prints the new time as text or JSON', async () => {
    const { run, emulator } = await running();

    expect(await run(['clock.advance', '5m'])).toEqual({ code: 0, out: 'now  2026-01-01T00:05:00.000Z\n', err: '' });
    expect((await run(['clock.advance', 'by=55m', '--json'])).out).toBe('{"now":"2026-01-01T01:00:00.000Z"}\n');
    expect(emulator.clock.iso()).toBe('2026-01-01T01:00:00.000Z');
  });

  test('prefers --url and --api-key to the environment variables', async () => {
    const { run, emulator } = await running();
    const { apiKey } = emulator.credentials;
    const other = { SALLYPORT_BASE_URL: 'http://127.0.0.1:9', SALLYPORT_API_KEY: 'sk_test_another_key' };

    const byFlags = await run(['clock.read', '--url', emulator.url, '--api-key', apiKey], other);
    const byDefaultKey = await run(['clock.read'], { SALLYPORT_API_KEY: undefined });

    expect([byFlags.out, byDefaultKey.out]).toEqual(Array(2).fill('now  2026-01-01T00:00:00.000Z\n'));
  });

  /** Run the command in a project with keys in its .env. Returns its output, and the keys that another server receives. */
  async function fromProject(args: readonly string[], env: (url: string) => NodeJS.ProcessEnv = () => ({})) {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-control-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(
      join(folder, '.env'),
      'SALLYPORT_API_KEY=sk_live_of_a_deployment\nSALLYPORT_ADMIN_KEY=ak_of_a_deployment\n',
    );
    const keys: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => response.end(String(keys.push(headers.authorization))));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const words = args.map((word) => word.replace('<url>', url));
    const { output, exit } = sallyportIn({ cwd: folder, env: { NO_COLOR: '1', ...env(url) } }, 'control', ...words);
    return { code: await exit, ...output, keys };
  }

  test.each([
    ['given with --url', ['clock.read', '--url', '<url>'], () => ({})],
    ['set in the shell', ['clock.read'], (url: string) => ({ SALLYPORT_BASE_URL: url })],
  ])('does not send the API key in .env to a URL %s', async (_, args, env) => {
    // The default key of the emulator is public.
    expect((await fromProject(args, env)).keys).toEqual(['Bearer sk_test_sallyport_emulator']);
  });

  test.each([
    ['given with --url', ['worlds.list', '--url', '<url>'], () => ({})],
    ['set in the shell', ['worlds.list'], (url: string) => ({ SALLYPORT_BASE_URL: url })],
    [
      'set in the shell together with --world',
      ['clock.read', '--world', 'a'],
      (url: string) => ({ SALLYPORT_BASE_URL: url }),
    ],
  ])('does not send the administrator key in .env to a URL %s', async (_, args, env) => {
    const { keys, err } = await fromProject(args, env);

    expect(keys).toEqual([]);
    expect(err).toContain('Pass --admin-key, or set SALLYPORT_ADMIN_KEY in your shell.');
  });

  test('sends an API key set in the shell to a URL set in the shell', async () => {
    const { keys } = await fromProject(['clock.read'], (url) => ({
      SALLYPORT_BASE_URL: url,
      SALLYPORT_API_KEY: 'sk_test_of_the_shell',
    }));

    expect(keys).toEqual(['Bearer sk_test_of_the_shell']);
  });

  test('prints one line per field, and a blank line between the items of a list', async () => {
    const { run, sallyport } = await running();

    expect((await run(['inbox.latest'])).out).toBe('None.\n');
    expect((await run(['inbox.latest', '--json'])).out).toBe('null\n');
    expect((await run(['inbox.list'])).out).toBe('None.\n');
    await sallyport.userManagement.sendMagicAuthCode({ email: 'erin@northwind.test' });
    await sallyport.userManagement.sendMagicAuthCode({ email: 'grace@northwind.test' });

    expect((await run(['inbox.latest', 'erin@northwind.test'])).out).toMatch(/^to +erin@northwind\.test$/m);
    const list = await run(['inbox.list', 'kind=magic_auth']);
    expect(list.out.split('\n\n')).toHaveLength(2);
    expect(JSON.parse((await run(['inbox.list', '--json'])).out)).toMatchObject({
      object: 'list',
      data: [{ to: 'erin@northwind.test' }, { to: 'grace@northwind.test' }],
    });
  });

  test('accepts fields as named arguments', async () => {
    const { run, emulator, sallyport } = await running();

    await run(['faults.add', 'operation=organizations.list', 'status=503', 'times=2']);
    expect(emulator.faults.list()).toMatchObject([{ operation: 'organizations.list', status: 503, times: 2 }]);
    const { out } = await run([
      'createConnection',
      'connection_type=OktaSAML',
      'organization_id=org_tailspin',
      'domains=a.test,b.test',
      '--json',
    ]);
    const { id } = JSON.parse(out);
    expect(await sallyport.sso.getConnection(id)).toMatchObject({
      organizationId: 'org_tailspin',
      domains: [{ domain: 'a.test' }, { domain: 'b.test' }],
    });
  });

  test('prints "Done." for a control without a result, and nothing with --json', async () => {
    const { run, emulator } = await running();
    await emulator.clock.advance('1d');

    expect(await run(['reset', '--json'])).toEqual({ code: 0, out: '', err: '' });
    expect(emulator.clock.iso()).toBe('2026-01-01T00:00:00.000Z');
    expect((await run(['reset'])).out).toBe('Done.\n');
  });

  test('restores a snapshot from standard input', async () => {
    const { run, sallyport } = await running();

    const { out: snapshot } = await run(['snapshot', '--json']);
    const made = await sallyport.organizations.createOrganization({ name: 'Later' });
    expect((await run(['restore', '--stdin'], {}, snapshot)).out).toBe('Done.\n');

    await expect(sallyport.organizations.getOrganization(made.id)).rejects.toMatchObject({ status: 404 });
    expect((await run(['restore', '--stdin'], {}, '[]')).err).toContain('standard input must be a JSON object');
  });

  test('prints an exported seed unchanged', async () => {
    const { run, emulator } = await running();

    expect((await run(['export'])).out).toBe(await emulator.export());
  });

  test('creates, uses and deletes a world', async () => {
    const { run, emulator } = await running();

    const { out } = await run(['worlds.create', 'name=checkout', 'clock=2030-01-01T00:00:00.000Z', 'seed=null']);
    expect(out).toMatch(/^name +checkout$/m);
    expect((await run(['clock.advance', '1d', '--world', 'checkout'])).out).toBe('now  2030-01-02T00:00:00.000Z\n');
    expect(emulator.clock.iso()).toBe('2026-01-01T00:00:00.000Z');
    expect((await run(['clock.read', '--world', 'chekout'])).err).toContain('No world has the name "chekout".');
    await run(['worlds.forget', 'checkout']);
    expect((await run(['worlds.list'])).out).toBe('None.\n');
  });

  test('lists all controls and the arguments of a control even if no emulator is running', async () => {
    const { run } = await running();
    const nowhere = { SALLYPORT_BASE_URL: 'http://127.0.0.1:9' };

    const list = await run(['--list'], nowhere);
    expect(list.out).toMatch(/^clock\.advance <by> +POST \/_emulator\/clock\/advance$/m);
    expect(list.out).toMatch(/^worlds\.forget <name> +DELETE \/_emulator\/worlds\/:name$/m);
    const help = await run(['clock.advance', '--help'], nowhere);
    expect(help.out).toMatch(/^ {2}by {2}text or number, required$/m);
    expect(help.code).toBe(0);
  });

  test.each([
    [['clock.advence', '5m'], 'no control "clock.advence"; did you mean clock.advance? Run sallyport control --list'],
    [[], 'No control was given. Run sallyport control --list to see the controls.'],
    [['clock.advance', 'tomorrow'], "by must be milliseconds, or a duration such as '31d'"],
    [['clock.advance'], 'by is required'],
    [['signInAs', 'unknown@acme.test'], 'No user has the id or email address "unknown@acme.test".'],
    [['faults.remove', '..'], 'id must not be empty, . or ..'],
    [['faults.remove', '--', '-1'], 'No fault has the id "-1".'],
    [['faults.remove', ''], 'id must not be empty, . or ..'],
    [['clock.read', '--wrold', 'checkout'], 'has no option --wrold; did you mean --world?'],
    [
      ['clock.read', '--url', 'http://127.0.0.1:2'],
      'ECONNREFUSED 127.0.0.1:2. Start one with npx sallyport emulator, or',
    ],
    [['clock.read', '--url', 'http://localhost:6000'], 'fetch failed: bad port. Use another port in baseUrl'],
    [['clock.read', '--url', 'localhost:4100'], '--url must be an address such as http://localhost:4100, without'],
    [['clock.read', '--url', 'http://ada:wrong_wrong@localhost:4100'], '--url must be an address such as http://'],
    [['clock.read', '--url', 'http://0.0.0.0:4100'], '--url would send your key in plain text to another machine. Use'],
    [
      ['clock.read', '--url', 'http://nowhere.invalid', '--allow-insecure'],
      'No emulator is reachable at http://nowhere.invalid. The request failed: fetch failed: getaddrinfo',
    ],
    [['worlds.list', '--admin-key', 'ak_wrong_wrong'], 'The emulator does not know this key. Pass the key that it'],
    [['clock.read', '--api-key', 'sk_wrong_wrong'], 'The emulator does not know this key. Pass the key that it'],
  ])('rejects the argument list %j with an explanation', async (args, message) => {
    const { run } = await running();

    const { code, out, err } = await run(args);

    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).not.toMatch(/wrong_wrong/);
  });

  test('names the environment variable that contains a rejected URL', async () => {
    const { run } = await running();

    const { code, err } = await run(['clock.read'], { SALLYPORT_BASE_URL: 'http://emulator:4100' });

    expect([code, err]).toEqual([
      1,
      'sallyport: SALLYPORT_BASE_URL would send your key in plain text to another machine. Use https:, or add --allow-insecure on a network you trust.\n',
    ]);
  });

  test('requires the administrator key for worlds', async () => {
    const { run } = await running();

    for (const [args, subject] of [
      [['worlds.list'], 'worlds.list'],
      [['clock.read', '--world', 'checkout'], '--world'],
    ] as const)
      expect((await run(args, { SALLYPORT_ADMIN_KEY: undefined })).err).toContain(
        `${subject} needs the administrator key, which sallyport emulator prints. Pass --admin-key, or set SALLYPORT_ADMIN_KEY in your shell.`,
      );
  });
});
