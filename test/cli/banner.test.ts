import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Runnable, runnable } from '../builds/runnable.js';
import { takesLong } from '../runner/requirements.js';
import { commandLine, untilPrinted } from './programs.js';

const { run, sallyportIn } = commandLine();

takesLong('the variables in the banner', () => {
  let folder: string;
  let programs: Runnable;
  beforeAll(async () => {
    const parent = mkdtempSync(join(tmpdir(), 'sallyport-banner-'));
    folder = join(parent, `a "folder" with blanks, it's $HOME`);
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'sallyport.seed.yaml'),
      'users: [{ email: ada@acme.test, password: a quiet harbour, email_verified: true }]\n',
    );
    programs = await runnable(['test/cli/pasted-client.ts']);
  });
  afterAll(() => {
    programs.remove();
    rmSync(join(folder, '..'), { recursive: true });
  });

  /** A free port. */
  const freePort = (): Promise<number> =>
    new Promise((done) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { readonly port: number };
        server.close(() => done(port));
      });
    });

  const pasted = async (shell: string, ...flags: readonly string[]) => {
    const { output } = await untilPrinted(sallyportIn({ cwd: folder }, 'emulator', ...flags), 'Ctrl+C');
    const lines = output.out.split('\n').filter((line) => line.startsWith('    export '));
    const client = run(
      shell,
      ['-c', `${lines.join('\n')}\nexec "$@"`, shell, process.execPath, resolve(programs.file('pasted-client'))],
      {
        cwd: folder,
      },
    );
    expect([await client.exit, client.output.err]).toEqual([0, '']);
    return { lines, client: JSON.parse(client.output.out) };
  };
  const signedIn = {
    emails: ['ada@acme.test'],
    status: 'active',
    redirectUri: 'http://localhost:3000/callback',
  };

  test.each(['bash', 'dash'])('are sufficient to configure an application in %s', async (shell) => {
    const { client, lines } = await pasted(shell, '--port', '0', '--state', `it's "the" state`);

    expect(client).toEqual(signedIn);
    expect(lines).toHaveLength(6);
  });

  test('configure an application for an emulator that is started with --public-url or --host', async () => {
    const port = await freePort();

    const outside = await pasted('bash', '--port', String(port), '--public-url', `http://localhost:${port}`);
    const six = await pasted('bash', '--port', '0', '--host', '::1');

    expect([outside.client, six.client]).toEqual([signedIn, signedIn]);
    expect(outside.lines).toContain(`    export SALLYPORT_BASE_URL=http://localhost:${port}`);
  });
});
