import { describe, expect, test } from 'vitest';
import { clientWith } from '../servers/server.js';
import { wireUser } from '../servers/wire.js';
import { visitedFiles } from './visited-files.js';

// A reader can follow a call that leads through few files.

describe('a call visits few files', () => {
  test('userManagement.getUser', async () => {
    const sallyport = clientWith(async () => Response.json(wireUser()));

    const files = await visitedFiles(() => sallyport.userManagement.getUser('user_01HZXW5T4M8Q2R6V9Y3B7C1D0E'));

    expect(files).toContain('src/client/users.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(18);
  });
});
