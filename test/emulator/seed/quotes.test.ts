import { describe, expect, test } from 'vitest';
import fc from '../../runner/property.js';
import { printedFor, refusalOf, seedFolder } from './file.js';

const fileOf = seedFolder();
const secret = 'Zebra7Quilt';

describe('if a file is not a seed, the error does not quote', () => {
  test.each([
    ['the content of a .env file', `DB_PASSWORD=${secret}\nAPI_KEY='${secret}'\n`, 'a string'],
    [
      'the content of a one-line .env file with a colon',
      `DB_PASSWORD=${secret}: x\n`,
      'an object without a known section',
    ],
    [
      'the content of a private key file',
      `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
      'a string',
    ],
    ['the content of a list of passwords', `- ${secret}\n- other\n`, 'an array'],
    ['the content of a file with one number', '4929123456781234\n', 'a number'],
    [
      'the content of a JSON file of another program',
      `{"private_key":"${secret}"}`,
      'an object without a known section',
    ],
    ['the content of a YAML flow mapping', `{${secret}}`, 'an object without a known section'],
  ])('%s', async (_what, text, kind) => {
    const lines = await refusalOf(fileOf(text));

    expect(lines).toEqual([
      `  seed:1:1: This is not a seed: it must be an object with sections such as users, but it is ${kind}.`,
    ]);
  });

  test('the content of a file with random YAML syntax', async () => {
    const marks = [...'*&!%@`|>?-#"\'{}[],:=.~^\\ \t\n'].concat(
      '\\U',
      '\\x',
      ': ',
      ' #',
      '---\n',
      '<<: ',
      '? ',
      '!!',
      '\ufeff',
    );
    const mark = fc.constantFrom(...marks);
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constant(secret) },
      { weight: 4, arbitrary: mark },
      {
        weight: 2,
        arbitrary: fc.constantFrom('KEY', 'export KEY=', 'password: ', '[default]\n', 'machine x login ', '12'),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(await printedFor(fileOf(pieces.join('')))).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });
});

test('the error for an unknown field hides the field name unless the name is a plain word', async () => {
  const odd = { [`${secret} x`]: 1 };

  const lines = await refusalOf({
    users: [{ email: 'a@a.test', metadata: odd, ...odd }],
    resource_types: [{ type: 'report', relations: { [secret]: odd } }],
  });

  expect(lines.join('\n')).not.toContain(`${secret} x`);
  expect(lines[0]).toContain('users[0].metadata.… must be a string');
});
