import { expect, onTestFinished, test, vi } from 'vitest';
import { stage } from '../../stage.js';

test('listening prints nothing: output is up to the program that calls it', async () => {
  const said = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  onTestFinished(() => {
    for (const spy of [...said, ...written]) spy.mockRestore();
  });
  const { emulator } = await stage();

  await emulator.listen(0, '0.0.0.0');

  expect([...said, ...written].flatMap(({ mock }) => mock.calls)).toEqual([]);
});
