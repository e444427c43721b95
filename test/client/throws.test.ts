import * as sallyport from 'sallyport';
import * as browser from 'sallyport/browser';
import * as emulator from 'sallyport/emulator';
import * as streams from 'sallyport/streams';
import { expect, test } from 'vitest';
import { triesAll } from '../runner/property.js';
import { captureWarnings } from '../runner/warnings.js';
import { failureOf } from '../servers/server.js';
import { claims } from './throws/claims.js';
import { entryRows } from './throws/entries.js';
import { fgaRows } from './throws/fga.js';
import { organizationRows } from './throws/organizations.js';
import { otherRows } from './throws/others.js';
import { pageRows } from './throws/pages.js';
import { signingInRows } from './throws/signing-in.js';
import { streamRows } from './throws/streams.js';
import { userRows } from './throws/users.js';
import { createWorld } from './throws/world.js';

captureWarnings();

// The errors that comments of the client's methods and of the entries promise, compared with those that the emulator causes.

const rows = [
  ...organizationRows,
  ...userRows,
  ...signingInRows,
  ...fgaRows,
  ...otherRows,
  ...entryRows,
  ...streamRows,
  ...pageRows,
];
const claimed = claims();
/** `npm test` provokes every sixth of them. */
const provokedRows = rows.filter((_, at) => triesAll || at % 6 === 0);

/** The codes of the classes that have only one. */
const codes: Readonly<Record<string, string>> = {
  BadRequestError: 'bad_request',
  UnauthorizedError: 'unauthorized',
  ForbiddenError: 'forbidden',
  NotFoundError: 'not_found',
  ConflictError: 'conflict',
  UnprocessableError: 'unprocessable',
  InvalidArgumentError: 'invalid_argument',
  WebhookVerificationError: 'webhook_verification_failed',
};

/** The error classes by their names. */
const classes = new Map(Object.entries({ ...emulator, ...streams, ...browser, ...sallyport }));

test.each(provokedRows.map((row) => [row.title, row] as const))('%s', async (_, row) => {
  const name = row.claim.split(' ')[1] ?? '';
  const surroundings = await createWorld(row.options);

  const error = await failureOf((async () => row.provoke(surroundings))());

  expect(error).toBeInstanceOf(classes.get(name));
  expect(error).toMatchObject({
    name,
    ...(name in codes && { code: codes[name] }),
  });
  const { code, serviceCode = code } = error as { readonly code: string; readonly serviceCode?: string };
  expect(serviceCode).toBe(row.code);
});

test('each documented error is provoked by a test case', () => {
  const provoked = new Set(rows.map(({ claim }) => claim));

  expect(claimed.length).toBeGreaterThan(100);
  expect(claimed.map(({ name }) => name).filter((name) => !provoked.has(name))).toEqual([]);
});

test('the doc comment about additional sign-in steps names the code of every step', () => {
  const steps = claimed.filter(({ name }) => name.endsWith(' SignInStepError'));
  const provoked = steps.map(({ name }) => rows.filter(({ claim }) => claim === name).map(({ code }) => code));

  expect(steps.length).toBeGreaterThan(6);
  expect(steps.map(({ text }) => text.match(/(?<=`)\w+(?=`)/g)?.sort())).toEqual(provoked.map((codes) => codes.sort()));
});

test('each error that a test case provokes is documented in a doc comment', () => {
  const named = new Set(claimed.map(({ name }) => name));

  expect([...new Set(rows.map(({ claim }) => claim))].filter((claim) => !named.has(claim))).toEqual([]);
});

test('a doc comment names each error class once, and describes the causes in full sentences', () => {
  expect(claimed.filter(({ text }) => !/^[A-Z`].*\.$/s.test(text)).map(({ name }) => name)).toEqual([]);
  expect(claimed.length).toBe(new Set(claimed.map(({ name }) => name)).size);
});
