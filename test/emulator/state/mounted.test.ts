import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { requires } from '../../runner/requirements.js';
import { stateFolder } from './folder.js';

const newFile = stateFolder();

requires('unshare', 'mount')('a state file that is a mount point', () => {
  test.each([
    ['is empty', ''],
    ['contains state', '{"format":"sallyport-state","version":1}\n'],
  ])('is rejected with the advice to mount the folder, even if the file %s', async (_what, content) => {
    const [file, host] = [newFile(), newFile()];
    for (const one of [file, host]) writeFileSync(one, content, { mode: 0o600 });
    const program = `
        import { openState } from './src/emulator/state/open.ts';
        await openState(process.argv[1], { print: console.log, objectionTo: () => undefined })
          .catch(({ code, message }) => console.log(code, message));`;
    const script = 'mount --bind "$1" "$2" && exec "$0" --import tsx --input-type=module -e "$3" "$2"';
    const child = spawn('unshare', ['-rm', 'sh', '-c', script, process.execPath, host, file, program]);

    expect(await text(child.stdout)).toBe(
      `invalid_state The emulator cannot store its state in ${file}. The file itself is mounted, for example into a container, so it cannot be replaced. Mount its folder instead, and use the file in it.\n`,
    );
    expect(readFileSync(host, 'utf8')).toBe(content);
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
