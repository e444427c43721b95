import { serve } from '@hono/node-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stage } from '../../stage.js';

test('the emulator writes each response only once, even if Hono has replaced the global Response', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { constructor: responseOfNode } = await fetch('data:,');
  const application = serve({ fetch: () => new Response('hello'), port: 0, hostname: '127.0.0.1' });
  onTestFinished(() => void application.close());
  expect(globalThis.Response).not.toBe(responseOfNode);
  const { emulator } = await stage({ listen: true });
  const { url } = emulator;

  const { status } = await fetch(`${url}/organizations`);

  expect(status).toBe(401);
  expect(printed).not.toHaveBeenCalled();
});
