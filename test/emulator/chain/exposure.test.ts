import { describe, expect, test } from 'vitest';
import { router } from '../../../src/emulator/registry.js';
import { stage } from '../../stage.js';

describe('a page without an API key', () => {
  const types = [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    undefined,
  ];

  test.each(types.map((type) => [type ? `with the content type ${type}` : 'without a content type', type] as const))(
    'cannot send a request %s to any control',
    async (_what, type) => {
      const { send } = await stage();
      const lines = router.controls.map(
        ({ operation: { method, path } }) => `${method} ${path.replace(/:\w+/g, 'some')}`,
      );

      const answers = await Promise.all(
        lines.map(async (line) => {
          const body = line.startsWith('GET') ? undefined : '{"by":"1d"}';
          const { status } = await send(line, body, { authorization: undefined, 'content-type': type, accept: '*/*' });
          return `${line} ${status}`;
        }),
      );

      expect(lines.length).toBeGreaterThan(30);
      expect(answers).toEqual(lines.map((line) => `${line} 401`));
    },
  );
});

describe('the HTML response to', () => {
  const pages = router.pages.filter(({ isFile, isStream }) => !isFile && !isStream);

  test.each(pages.map(({ method, path }) => [method, path] as const))(
    "%s %s cannot be framed or cached, and allows only the emulator's scripts",
    async (method, path) => {
      const { emulator } = await stage();

      const { status, headers } = await emulator.fetch(emulator.url + path.replace(/:\w+/g, 'none'), {
        method,
        headers: { accept: 'text/html' },
      });

      expect(headers.get('content-type'), String(status)).toBe('text/html; charset=utf-8');
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      // Only the console has a script, which it runs itself.
      const isConsole = path === '/' || path === '/_emulator/inbox' || path.startsWith('/_emulator/console');
      const scripts = method === 'GET' && isConsole ? /script-src 'nonce-/ : /^(?!.*script-src)/;
      expect(policy).toMatch(scripts);
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );
});
