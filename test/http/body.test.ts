import { expect, test } from 'vitest';
import { BodyTooLarge, readBody, readJson } from '../../src/http/body.js';

/** A body of these chunks, and whether it was canceled before its end. */
function bodyOf(...pieces: readonly (string | Uint8Array)[]) {
  const rest = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  const state = { cancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = rest.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { response: new Response(stream), state };
}

test('a body within the limit is read, including characters split across two chunks', async () => {
  const bytes = new TextEncoder().encode('grüße');
  const { response } = bodyOf(bytes.slice(0, 3), bytes.slice(3));

  expect(new TextDecoder().decode(await readBody(response, 7))).toBe('grüße');
});

test('a body that exceeds the limit is canceled', async () => {
  const { response, state } = bodyOf('1234', '5678', '9');

  await expect(readBody(response, 7)).rejects.toThrow(new BodyTooLarge('answered with more than 7 bytes'));
  expect(state.cancelled).toBe(true);
});

test('a body whose declared length exceeds the limit is not read', async () => {
  const response = new Response('12345678', { headers: { 'content-length': '8' } });

  await expect(readBody(response, 7)).rejects.toThrow(BodyTooLarge);
  expect(response.bodyUsed).toBe(true);
});

test('reading a body stops when the signal aborts', async () => {
  const controller = new AbortController();
  const silent = new Response(new ReadableStream());
  const reading = readBody(silent, 7, controller.signal);

  controller.abort();

  expect(await reading).toHaveLength(0);
});

test('a missing body is read as zero bytes', async () => {
  expect(await readBody(new Response(null), 7)).toHaveLength(0);
});

test('a body with invalid UTF-8 is returned as the original bytes', async () => {
  const { response } = bodyOf(Uint8Array.of(0x61), Uint8Array.of(0xff, 0x62), Uint8Array.of(0x63));

  expect([...(await readBody(response, 7))]).toEqual([0x61, 0xff, 0x62, 0x63]);
});

test('readJson parses a JSON body, and returns undefined for an HTML body', async () => {
  expect(await readJson(new Response('{"a":1}'), 7)).toEqual({ a: 1 });
  expect(await readJson(new Response('<html>'), 7)).toBeUndefined();
});
