import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { manifest, project } from './project.js';

const { folder, write, read, files, init, done } = project();

const express = manifest({ express: '^5.3.0' });

let elsewhere: string;
beforeEach(() => {
  elsewhere = mkdtempSync(join(tmpdir(), 'sallyport-elsewhere-'));
});
afterEach(() => rmSync(elsewhere, { recursive: true }));

const link = (target: string, path: string): void => symlinkSync(target, join(folder(), path));
const modeOf = (path: string): string => (statSync(join(folder(), path)).mode & 0o777).toString(8);

takesLong('sallyport init', () => {
  test.each([
    ['a new file', 'sallyport.js', []],
    ['a replaced file', 'sallyport.js', ['--force']],
    ['a new file (--dry-run)', 'sallyport.js', ['--dry-run']],
    ['the environment file', '.env', ['--force']],
    ['the .gitignore file', '.gitignore', ['--force']],
  ])('rejects a symbolic link at the path of %s, and writes nothing', async (_what, path, flags) => {
    write(express);
    writeFileSync(join(elsewhere, 'there'), 'theirs\n');
    link(join(elsewhere, 'there'), path);
    const before = files();

    const { output, exit } = init(...flags);

    expect(await exit).toBe(1);
    expect(output).toEqual({
      out: '',
      err: expect.stringContaining(`These are links: ${path}. Nothing was written.`),
    });
    expect(readFileSync(join(elsewhere, 'there'), 'utf8')).toBe('theirs\n');
    expect(files()).toEqual(before);
  });

  test('writes nothing if .env is a folder', async () => {
    write({ ...express, '.env/pyvenv.cfg': '' });
    const before = files();

    const { output, exit } = init();

    expect(await exit).toBe(1);
    expect(output.err).toContain('because these are in the way: .env. Nothing was written.');
    expect(files()).toEqual(before);
  });

  test('accepts a symbolic link as .env if the linked file has every variable', async () => {
    const names = ['BASE_URL', 'CLIENT_ID', 'API_KEY', 'COOKIE_PASSWORD', 'REDIRECT_URI'];
    const text = names.map((name) => `SALLYPORT_${name}=set\n`).join('');
    write(express);
    writeFileSync(join(elsewhere, 'env'), text);
    link(join(elsewhere, 'env'), '.env');

    await done();

    expect(readFileSync(join(elsewhere, 'env'), 'utf8')).toBe(text);
    expect(files()).toContain('sallyport.js');
  });
});

takesLong('a file with the cookie password', () => {
  test('is readable only by the owner if init creates the file', async () => {
    write(express);

    const printed = await done();

    expect(modeOf('.env')).toBe('600');
    expect(printed).not.toContain('chmod');
  });

  test('becomes unreadable to other users when init adds the password', async () => {
    write({ ...express, '.env': 'OTHER=1\n' });
    chmodSync(join(folder(), '.env'), 0o664);

    const planned = await done('--dry-run');
    const modeAfterPlan = modeOf('.env');
    const printed = await done();

    expect(planned).toContain('  to chmod  .env 600, so that only you can read it\n');
    expect(modeAfterPlan).toBe('664');
    expect(printed).toContain('  chmod     .env 600, so that only you can read it\n');
    expect(modeOf('.env')).toBe('600');
    expect(read('.env')).toMatch(/^OTHER=1\n\n[\s\S]*^SALLYPORT_COOKIE_PASSWORD=/m);
  });

  test('keeps the file mode if init adds no secrets', async () => {
    write({ ...express, '.env': 'SALLYPORT_COOKIE_PASSWORD=set\nSALLYPORT_API_KEY=set\n' });
    chmodSync(join(folder(), '.env'), 0o644);

    const printed = await done();

    expect(modeOf('.env')).toBe('644');
    expect(read('.env')).toContain('SALLYPORT_REDIRECT_URI=');
    expect(printed).not.toContain('chmod');
  });
});
