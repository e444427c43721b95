import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Runnable, runnable } from '../builds/runnable.js';
import { certificateFor } from '../emulator/chain/certificate.js';
import { takesLong } from '../runner/requirements.js';
import { commandLine, untilPrinted } from './programs.js';

const { run, sallyport } = commandLine();

let folder: string;
let programs: Runnable;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-https-'));
  const { cert, key } = certificateFor('localhost');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  programs = await runnable(['test/cli/https-client.ts']);
});
afterAll(() => {
  programs.remove();
  rmSync(folder, { recursive: true });
});

const flags = (cert = 'cert.pem', key = 'key.pem'): string[] => [
  ...['--https-cert', join(folder, cert)],
  ...['--https-key', join(folder, key)],
];

takesLong('sallyport emulator with HTTPS', () => {
  test("can be reached by the client and Node's fetch only if the certificate is trusted", async () => {
    const { output } = await untilPrinted(sallyport('emulator', '--port', '0', '--json', '--quiet', ...flags()), '}\n');
    const { url, apiKey, clientId } = JSON.parse(output.out);
    const env = { SALLYPORT_BASE_URL: url, SALLYPORT_API_KEY: apiKey, SALLYPORT_CLIENT_ID: clientId };
    const client = (more: NodeJS.ProcessEnv) =>
      run(process.execPath, [resolve(programs.file('https-client'))], { env: { ...env, ...more } });

    const trusting = client({ NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') });
    const other = client({});

    expect([await trusting.exit, trusting.output.err]).toEqual([0, '']);
    const { token, ...rest } = JSON.parse(trusting.output.out);
    expect(rest).toEqual({ email: 'ada@acme.test', health: 200 });
    expect(decodeJwt(token).iss).toBe(`${url}/user_management/${clientId}`);
    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    expect(await other.exit).toBe(1);
  });

  test.each([
    ['no key is given', ['--https-cert', 'package.json'], '--https-key is missing.'],
    ['no certificate is given', ['--https-key', 'package.json'], '--https-cert is missing.'],
    [
      'the certificate file does not exist',
      ['--https-cert', 'none.pem', '--https-key', 'package.json'],
      '--https-cert none.pem cannot be read. The file does not exist.',
    ],
    [
      'the certificate file contains no certificate',
      ['--https-cert', 'package.json', '--https-key', 'package.json'],
      'It is not in PEM',
    ],
  ])('does not start if %s', async (_what, wrong, message) => {
    const { output, exit } = sallyport('emulator', '--port', '0', ...wrong);

    expect(await exit).toBe(1);
    expect(output.err).toContain(message);
    expect(output.out).toBe('');
  });
});
