import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInfrastructureFailure } from '../../src/streams/infrastructure.js';
import { requires } from '../runner/requirements.js';
import { packages } from './once/drivers.js';

requires(packages)('isInfrastructureFailure()', () => {
  /** Returns the JavaScript of a driver. */
  const sourceOf = (driver: string): string =>
    readdirSync(join(packages, driver), { recursive: true, withFileTypes: true })
      .filter(({ name, parentPath }) => name.endsWith('.js') && !parentPath.includes('/test'))
      .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
      .join('\n');

  test.each([
    ['pg', '8.23.1', ['Connection terminated unexpectedly', 'timeout expired', 'Query read timeout']],
    ['pg', '8.23.1', ['Client has encountered a connection error and is not queryable']],
    [
      'pg-pool',
      '3.14.0',
      ['timeout exceeded when trying to connect', 'Connection terminated due to connection timeout'],
    ],
    ['ioredis', '6.0.0', ['Connection is closed.', 'Command timed out', "Stream isn't writeable"]],
    ['ioredis', '6.0.0', ['Reached the max retries per request limit', 'Socket timeout']],
    ['iovalkey', '0.4.0', ['Connection is closed.', 'Command timed out', "Stream isn't writeable"]],
    ['iovalkey', '0.4.0', ['Reached the max retries per request limit', 'Socket timeout']],
    ['@redis/client', '6.3.1', ['Connection timeout', 'Socket closed unexpectedly', 'Socket timeout']],
    ['@redis/client', '6.3.1', ['The client is closed', 'The client is offline']],
  ])('recognizes the connection errors of %s %s: %j', (driver, version, messages) => {
    const source = sourceOf(driver);

    expect(JSON.parse(readFileSync(join(packages, driver, 'package.json'), 'utf8'))).toMatchObject({ version });
    for (const message of messages) {
      expect(source).toContain(message);
      expect(isInfrastructureFailure(new Error(message))).toBe(true);
    }
  });
});
