import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { commandLine, untilPrinted } from './programs.js';

requires('script')('sallyport init on a terminal', () => {
  const { file, run } = commandLine();

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-init-asks-'));
    mkdirSync(join(folder, 'app'));
    const dependencies = { next: '16.4.5', sallyport: '^0.1.0' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(folder, 'tsconfig.json'), '{}');
    writeFileSync(join(folder, 'sallyport.ts'), '// mine\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['replaces the file', 'y', 0, /^import /],
    ['keeps the file', '', 1, /^\/\/ mine\n$/],
    ['keeps the file', 'n', 1, /^\/\/ mine\n$/],
  ])('asks before replacing a file, and %s after the answer %j', async (_outcome, answer, code, text) => {
    const command = `"${process.execPath}" "${file()}" init`;
    const program = await untilPrinted(run('script', ['-qec', command, '/dev/null'], { cwd: folder }), '[y/N]');
    program.child.stdin.write(`${answer}\n`);

    expect(await program.exit).toBe(code);
    expect(readFileSync(join(folder, 'sallyport.ts'), 'utf8')).toMatch(text);
    expect(readFileSync(join(folder, 'proxy.ts'), 'utf8')).toContain('next.proxy');
  });
});
