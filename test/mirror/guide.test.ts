import { spawn } from 'node:child_process';
import { once as emitted } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runnable } from '../builds/runnable.js';
import { startPostgres } from '../databases/postgres.js';
import { codeIn, read } from '../docs/markdown.js';
import { requires } from '../runner/requirements.js';
import { stage } from '../stage.js';
import { packages } from '../streams/once/drivers.js';

requires('postgresql', packages)('the program in docs/mirror.md', () => {
  test("copies the service's records and prints a membership's role", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const { emulator, sallyport } = await stage({ clock: undefined, listen: true });
    const { id: userId } = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const { id: organizationId } = await sallyport.organizations.createOrganization({ name: 'Acme' });
    const ids = { userId, organizationId };
    await sallyport.userManagement.createOrganizationMembership({ ...ids, roleSlug: 'admin' });
    const [code = ''] = codeIn(read('docs/mirror.md'), 'ts');
    mkdirSync('.cache', { recursive: true });
    const folder = mkdtempSync(join('.cache', 'guide-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const ours = code.replace('user_01H…', userId).replace('org_01H…', organizationId);
    writeFileSync(join(folder, 'guide.ts'), ours);
    // The driver is found from here.
    const program = await runnable([join(folder, 'guide.ts')], join(packages, '.cache'));
    onTestFinished(() => program.remove());

    const child = spawn(process.execPath, [program.file('guide')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        DATABASE_URL: server.url,
        SALLYPORT_API_KEY: emulator.credentials.apiKey,
        SALLYPORT_BASE_URL: emulator.url,
      },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [output] = await emitted(child.stdout, 'data');

    expect(String(output)).toMatch(/^admin 20\d\d-\d\d-\d\dT[\d:.]+Z\n$/);
  });
});
