import { expect, onTestFinished, test, vi } from 'vitest';
import { stage } from '../../stage.js';

test('the emulator prints nothing when it starts to listen', async () => {
  const logged = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  onTestFinished(() => {
    for (const spy of [...logged, ...written]) spy.mockRestore();
  });
  const { emulator } = await stage();

  await emulator.listen(0, '0.0.0.0');

  expect([...logged, ...written].flatMap(({ mock }) => mock.calls)).toEqual([]);
});
