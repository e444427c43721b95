import { expect, test } from 'vitest';
import { failedDeliveryLine } from '../../src/cli/dev/failed-delivery.js';

const escapeCode = String.fromCharCode(27);
const plain = (line: string): string => line.replaceAll(new RegExp(`${escapeCode}\\[\\d+m`, 'g'), '');

test.each([
  [
    'that failed with status 500',
    { status: 500, retryInMs: 1_990 },
    'sallyport: Webhook user.created failed: status 500. Trying again in 2 seconds.\n',
  ],
  [
    'that timed out',
    { error: 'timed out after 30 seconds', retryInMs: 0 },
    'sallyport: Webhook user.created failed: timed out after 30 seconds. Trying again in 1 second.\n',
  ],
  [
    'that was redirected',
    { status: 307, error: 'redirects are not followed', retryInMs: 256_000 },
    'sallyport: Webhook user.created failed: status 307, redirects are not followed. Trying again in 4 minutes.\n',
  ],
  [
    'that failed for the last time',
    { error: 'fetch failed (ECONNREFUSED)', retryInMs: undefined },
    'sallyport: Webhook user.created failed: fetch failed (ECONNREFUSED). That was the last attempt. You can send it again on the Webhooks page of the console.\n',
  ],
])('the printed line about a webhook %s names the cause and the next step', (_what, failure, line) => {
  expect(plain(failedDeliveryLine({ event: 'user.created', ...failure }))).toBe(line);
});

test('a failed webhook is printed on one line even if the cause contains control characters', () => {
  const line = plain(
    failedDeliveryLine({ event: 'user.created', error: `one\ntwo${escapeCode}[2J`, retryInMs: 2_000 }),
  );

  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line).not.toContain(escapeCode);
});
