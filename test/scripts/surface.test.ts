import { describe, expect, test } from 'vitest';
import { surface } from '../../scripts/surface.js';

const types = new Map([
  [
    'types/errors.d.cts',
    `/** Base of every error. */
export declare class SallyportError<Code extends string = string> extends Error {
  /** Stable code. */
  readonly code: Code;
  constructor(code: Code);
}
export type StreamErrorCode = 'poison_event' | 'checkpoint_lost';
export declare class StreamError extends SallyportError<StreamErrorCode> {}`,
  ],
  [
    'types/any-error.d.cts',
    `import { SallyportError, StreamError } from './errors.cjs';
export type AnySallyportError = StreamError | SallyportError<'no_session'>;`,
  ],
  [
    'types/client.d.cts',
    `export interface Users {
  /** List users. */
  list(limit?: number): Promise<readonly string[]>;
  get(id: string): Promise<string>;
  get(id: number): Promise<never>;
}
export declare const version: string;`,
  ],
  [
    'types/express.d.cts',
    `export declare function respond(answer: {
  readonly status: number;
}): void;`,
  ],
  [
    'types/hono.d.cts',
    `export declare function respond(): Response;
declare global {
  interface Window { readonly user: string }
}`,
  ],
  [
    'index.d.ts',
    `export { type AnySallyportError } from './types/any-error.cjs';
export { type Users, version } from './types/client.cjs';`,
  ],
  ['hono.d.ts', `export { respond } from './types/hono.cjs';`],
]);

test('the list of the public API has a line for each export, error code, declaration and member', () => {
  expect(surface(types).split('\n').slice(1)).toEqual([
    '',
    'exports of sallyport/hono',
    '  respond',
    '',
    'exports of sallyport',
    '  AnySallyportError',
    '  Users',
    '  version',
    '',
    'codes of errors',
    '  checkpoint_lost',
    '  no_session',
    '  poison_event',
    '',
    'globals of hono',
    '  declare global { interface Window { readonly user: string; } }',
    '',
    'type AnySallyportError',
    "  | SallyportError<'no_session'>",
    '  | StreamError',
    'class SallyportError<Code extends string = string> extends Error',
    '  constructor(code: Code)',
    '  readonly code: Code',
    'class StreamError extends SallyportError<StreamErrorCode>',
    'type StreamErrorCode',
    "  | 'checkpoint_lost'",
    "  | 'poison_event'",
    'interface Users',
    '  get(id: string): Promise<string>',
    '  get(id: number): Promise<never>',
    '  list(limit?: number): Promise<readonly string[]>',
    'function respond(answer: { readonly status: number; }): void // of express',
    'function respond(): Response // of hono',
    'const version: string',
    '',
  ]);
});

describe('the list of the public API', () => {
  const changed = (file: string, before: string, after: string): string[] => {
    const files = new Map(types).set(file, types.get(file)!.replace(before, after));
    const lines = surface(types).split('\n');
    return surface(files)
      .split('\n')
      .filter((line) => !lines.includes(line));
  };

  test.each([
    [
      'a parameter',
      'types/client.d.cts',
      'limit?: number',
      'limit: number',
      ['  list(limit: number): Promise<readonly string[]>'],
    ],
    ['an error code', 'types/errors.d.cts', "'poison_event'", "'poison'", ['  poison', "  | 'poison'"]],
    ['the name of an export', 'hono.d.ts', 'respond', 'respond as answer', ['  answer']],
  ])('changes if %s changes', (_, file, before, after, lines) => {
    expect(changed(file, before, after)).toEqual(lines);
  });

  test('does not change if a source comment changes', () => {
    expect(changed('types/client.d.cts', 'List users.', 'List users, newest first.')).toEqual([]);
  });
});
