import { signWebhook } from 'sallyport/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NextServer, nextPackages, serveWithNext } from '../builds/next-server.js';
import { requires } from '../runner/requirements.js';
import { body } from './delivery.js';

const secret = 'whsec_next';
const answering = (options: string) => `import { receive } from '../../webhooks.js';
${options}
export default async function handler(request, response) {
  const { httpStatus, text } = await receive(request, { secret: '${secret}', handler: () => undefined });
  response.writeHead(httpStatus).end(text);
}`;
/** An application with a route in each router, and one with a parsed body. */
const files: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  'next.config.js': 'export default {};',
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/webhooks/route.js': `import { webhookHandler } from '../../webhooks.js';
export const POST = webhookHandler({ secret: '${secret}', handler: () => undefined });`,
  'pages/api/webhooks.js': answering('export const config = { api: { bodyParser: false } };'),
  'pages/api/parsed.js': answering(''),
};

requires(nextPackages)('a Next.js application', () => {
  let server: NextServer;
  beforeAll(async () => {
    server = await serveWithNext(files, { webhooks: 'src/webhooks/index.ts' });
  });
  afterAll(() => server?.close());

  const deliver = async (path: string, by = secret) => {
    const sigHeader = await signWebhook({ payload: body, secret: by, timestamp: Date.now() });
    const headers = { 'content-type': 'application/json', 'service-signature': sigHeader };
    const response = await fetch(server.url + path, { method: 'POST', headers, body });
    return `${response.status} ${await response.text()}`;
  };

  test.each(['/webhooks', '/api/webhooks'])(
    'accepts a delivery at %s, but rejects a forged delivery',
    async (path) => {
      expect(await deliver(path)).toBe('200 handled');
      expect(await deliver(path, 'whsec_another')).toMatch(
        /^400 signature_mismatch: No signature of the request matches/,
      );
    },
    120_000,
  );

  test('responds with advice if the body parser has already read the body', async () => {
    expect(await deliver('/api/parsed')).toMatch(/^500 body_already_parsed: .*bodyParser: false/);
  }, 120_000);
});
