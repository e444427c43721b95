import { expect, test } from 'vitest';
import { bytesIn } from '../../src/crypto/native/sessions.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Whether the text is accepted as base64url. */
const isRead = (letters: string): boolean => {
  try {
    return bytesIn(letters).length > 0;
  } catch {
    return false;
  }
};

test('unpadded base64url text for zero to three bytes is decoded', () => {
  expect([...bytesIn('-_8A')]).toEqual([0xfb, 0xff, 0x00]);
  expect([...bytesIn('-_8')]).toEqual([0xfb, 0xff]);
  expect([...bytesIn('-w')]).toEqual([0xfb]);
  expect([...bytesIn('')]).toEqual([]);
});

test('base64url text is invalid if any character is outside the alphabet', () => {
  const long = 'A'.repeat(40);
  for (let code = 0; code < 0x300; code++) {
    const letter = String.fromCharCode(code);
    for (const text of [`${letter}AAA`, `AA${letter}`, `A${letter}`, `${long}${letter}AAA${long}`])
      expect([code, isRead(text)]).toEqual([code, alphabet.includes(letter)]);
  }
});

test('padding or a single leftover character makes base64url text invalid', () => {
  for (const text of ['QQ==', 'QQ=', 'QUI=', 'Q', 'QUJDR', '=', 'QUJD===='])
    expect([text, isRead(text)]).toEqual([text, false]);
});
