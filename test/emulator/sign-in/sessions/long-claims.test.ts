import { describe, expect, test } from 'vitest';
import { alternativesIn, piecesOf } from '../../../../src/emulator/sign-in/sessions/placeholders.js';
import { claimsOf, signingIn } from '../signing-in.js';

describe('the claim template parser', () => {
  test.each([
    ['treats "plain" as plain text', 'plain', [['plain', undefined]]],
    [
      'finds the placeholders b and d in "a {{b}} c {{ d }}"',
      'a {{b}} c {{ d }}',
      [
        ['a ', 'b'],
        [' c ', ' d '],
        ['', undefined],
      ],
    ],
    [
      'treats the last brace in "{{a}}}" as text',
      '{{a}}}',
      [
        ['', 'a'],
        ['}', undefined],
      ],
    ],
    [
      'treats the unclosed placeholder in "{{a}} {{b" as text',
      '{{a}} {{b',
      [
        ['', 'a'],
        [' {{b', undefined],
      ],
    ],
    ['treats "a }} b" as plain text', 'a }} b', [['a }} b', undefined]]],
  ])('%s', (_what, text, pieces) => {
    expect([...piecesOf(text)].map(({ text, expression }) => [text, expression])).toEqual(pieces);
  });

  test.each([
    ['user.email', ['user.email']],
    [' user.name || user.email ', ['user.name', 'user.email']],
    ["user.name || 'a || b'", ['user.name', "'a || b'"]],
    [`'it is "it"' || "don't"`, [`'it is "it"'`, `"don't"`]],
    ['a |||', ['a', '|']],
    ['||', ['', '']],
  ])('reads the placeholder content %j as the alternatives %j', (expression, alternatives) => {
    expect(alternativesIn(expression)).toEqual(alternatives);
  });

  // The time limit of a test is a minute; these take a few milliseconds.
  test('takes linear time', () => {
    expect([...piecesOf('{{'.repeat(500_000))]).toHaveLength(1);
    expect(alternativesIn('||'.repeat(500_000))).toHaveLength(500_001);
    expect(alternativesIn(`${"'".repeat(500_001)}||x`)).toHaveLength(1);
  });
});

describe('custom claims', () => {
  test('can have up to 16,384 characters', async () => {
    const { send } = await signingIn();

    // The name, the quotes and the braces make up the rest.
    const { status } = await send('PUT /_emulator/custom_claims', { claims: { a: 'x'.repeat(16_384 - 8) } });

    expect(status).toBe(200);
  });

  test.each(['{{', '||', 'x'])('with more than 16,384 characters are rejected (repeated text %j)', async (text) => {
    const { send } = await signingIn();

    const { status, body } = await send('PUT /_emulator/custom_claims', { claims: { a: text.repeat(500_000) } });

    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'out_of_range', errors: [{ field: 'claims', code: 'out_of_range' }] });
    expect(body.message).toMatch(/must have at most 16384 characters as JSON, not \d+/);
  });

  test('make the sign-in fail if the resulting values are too long', async () => {
    const { byPassword, emulator, send, user } = await signingIn();
    await emulator.setCustomClaims({ a: '{{ user.first_name }}'.repeat(3) });
    const { id } = await user('ada@acme.test', { first_name: 'x'.repeat(20_000) });

    const longest = await byPassword('ada@acme.test');
    await send(`PUT /user_management/users/${id}`, { first_name: 'x'.repeat(30_000) });
    const tooLong = await byPassword('ada@acme.test');

    expect(claimsOf(longest.body.access_token).a).toHaveLength(60_000);
    expect(tooLong).toMatchObject({ status: 400, body: { code: 'invalid_custom_claims' } });
    expect(tooLong.body.message).toMatch(/more than 65536 characters/);
  });

  test('make the sign-in fail if too many objects are inserted', async () => {
    const { byPassword, emulator, user } = await signingIn();
    await emulator.setCustomClaims({ a: Array.from({ length: 500 }, () => '{{ user }}') });
    await user('ada@acme.test');

    const { status, body } = await byPassword('ada@acme.test');

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_custom_claims' });
  });
});
