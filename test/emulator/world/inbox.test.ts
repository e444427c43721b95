import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '../../../src/emulator/world/inbox.js';
import { stage } from '../../stage.js';
import { Browser } from '../hosted/hosted-browser.js';
import { emptyWorld } from './empty-world.js';

const letter = (fields: Partial<Message> = {}): Message => ({
  kind: 'magic_auth',
  to: 'ada@example.com',
  subject: 'Your sign-in code',
  text: 'Your sign-in code is 123456.',
  code: '123456',
  sentAt: '2026-01-01T00:00:00.000Z',
  ...fields,
});

afterEach(() => {
  vi.useRealTimers();
});

describe('inbox.waitFor()', () => {
  test('returns a message that is already in the inbox', async () => {
    const { inbox } = emptyWorld();
    inbox.deliver(letter());

    expect(await inbox.waitFor()).toEqual(letter());
  });

  test('returns a message that arrives after the call', async () => {
    const { inbox } = emptyWorld();

    const waiting = inbox.waitFor({ to: 'ada@example.com', kind: 'magic_auth' });
    inbox.deliver(letter());

    expect(await waiting).toEqual(letter());
  });

  test('ignores messages with a different address or kind than requested', async () => {
    const { inbox } = emptyWorld();
    inbox.deliver(letter({ to: 'grace@example.com' }));
    inbox.deliver(letter({ kind: 'invitation' }));

    const waiting = inbox.waitFor({ to: 'Ada@Example.com', kind: 'magic_auth' });
    inbox.deliver(letter({ kind: 'password_reset' }));
    inbox.deliver(letter({ code: '654321' }));

    expect((await waiting).code).toBe('654321');
  });

  test('returns each message once, in the order of arrival', async () => {
    const { inbox } = emptyWorld();
    inbox.deliver(letter({ code: '111111' }));
    const first = inbox.waitFor();
    const second = inbox.waitFor();
    const third = inbox.waitFor();
    inbox.deliver(letter({ code: '222222' }));
    inbox.deliver(letter({ code: '333333' }));

    const codes = (await Promise.all([first, second, third])).map(({ code }) => code);

    expect(codes).toEqual(['111111', '222222', '333333']);
    expect(inbox.messages).toHaveLength(3);
  });

  test('returns a message even if the message was already read from the inbox', async () => {
    const { inbox } = emptyWorld();
    inbox.deliver(letter());

    const read = [inbox.latest(), inbox.to('ada@example.com')[0], inbox.messages[0]];

    expect(await inbox.waitFor()).toBe(read[0]);
  });

  test('times out after five seconds of real time, and the error lists the messages without their codes', async () => {
    vi.useFakeTimers();
    const { inbox } = emptyWorld();
    inbox.deliver(letter({ to: 'grace@example.com' }));
    inbox.deliver(letter({ kind: 'password_reset', token: 'tok_secret' }));
    await inbox.waitFor({ kind: 'password_reset' });

    const waiting = inbox.waitFor({ to: 'ada@example.com', kind: 'magic_auth' });
    const ended = expect(waiting).rejects.toMatchObject({
      name: 'EmulatorRefusal',
      status: 404,
      code: 'no_message',
      message:
        'No magic_auth message to ada@example.com arrived within 5000 ms. The inbox contains magic_auth to grace@example.com, password_reset to ada@example.com (already returned). Check that the message is sent before or while you wait, and that the address and kind are right.',
    });
    await vi.advanceTimersByTimeAsync(5000);

    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not wait if the timeout is 0 ms', async () => {
    const { inbox } = emptyWorld();

    await expect(inbox.waitFor({ timeoutMs: 0 })).rejects.toThrow('The inbox is empty');
  });

  test('does not consume a message that arrives after the timeout', async () => {
    const { inbox } = emptyWorld();
    await inbox.waitFor({ timeoutMs: 0 }).catch(() => undefined);

    inbox.deliver(letter());

    expect(await inbox.waitFor({ timeoutMs: 0 })).toEqual(letter());
  });

  test('consumes no message if the caller has already aborted the call', async () => {
    const { inbox } = emptyWorld();
    inbox.deliver(letter());

    const waiting = inbox.waitFor({}, AbortSignal.abort());

    await expect(waiting).rejects.toMatchObject({ status: 409, code: 'closed' });
    expect(await inbox.waitFor({ timeoutMs: 0 })).toEqual(letter());
  });

  test('clears its timer after a message arrives', async () => {
    vi.useFakeTimers();
    const { inbox } = emptyWorld();
    const waiting = inbox.waitFor();

    inbox.deliver(letter());
    await waiting;

    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('rejects a timeout of %s ms', async (timeoutMs) => {
    const { emulator } = await stage();

    await expect(emulator.inbox.waitFor({ timeoutMs })).rejects.toMatchObject({
      status: 422,
      fields: { errors: [{ field: 'timeout_ms' }] },
    });
  });

  test.each(['reset', 'close'] as const)('fails if %s() is called on the emulator', async (end) => {
    const { emulator } = await stage();

    const waiting = emulator.inbox.waitFor();
    const ended = expect(waiting).rejects.toMatchObject({ name: 'EmulatorRefusal', code: 'closed' });
    await emulator[end]();

    await ended;
  });

  test('returns a message that the emulator sends', async () => {
    const { emulator, send } = await stage();

    const waiting = emulator.inbox.waitFor({ to: 'ada@example.com' });
    await send('POST /user_management/magic_auth/send', { email: 'ada@example.com' });

    expect((await waiting).code).toMatch(/^\d{6}$/);
  });
});

describe('the inbox over HTTP', () => {
  /** An emulator that has sent an invitation and a code. */
  async function emulatorWithMail() {
    const { emulator, send } = await stage();
    await send('POST /user_management/invitations', { email: 'grace@example.com' });
    await send('POST /user_management/magic_auth/send', { email: 'ada@example.com' });
    const get = async (query = '', accept = '*/*') =>
      emulator.fetch(`${emulator.url}/_emulator/inbox${query}`, {
        headers: { accept, ...(accept === '*/*' ? { authorization: `Bearer ${emulator.credentials.apiKey}` } : {}) },
      });
    return { emulator, get };
  }

  test('lists all messages, oldest first, if the request has the API key', async () => {
    const { emulator, get } = await emulatorWithMail();

    const answer = await get();

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      object: 'list',
      data: [
        {
          kind: 'invitation',
          to: 'grace@example.com',
          subject: 'You have been invited',
          text: expect.stringContaining('Accept at'),
          token: expect.any(String),
          url: expect.stringContaining('/invitations/accept?token='),
          sent_at: '2026-01-01T00:00:00.000Z',
        },
        {
          kind: 'magic_auth',
          to: 'ada@example.com',
          subject: 'Your sign-in code',
          text: expect.stringContaining(emulator.inbox.latest()!.code!),
          code: emulator.inbox.latest()!.code,
          sent_at: '2026-01-01T00:00:00.000Z',
        },
      ],
    });
  });

  test.each([
    ['?to=ADA@example.com', ['magic_auth']],
    ['?kind=invitation', ['invitation']],
    ['?kind=invitation&to=ada@example.com', []],
  ])('filters messages by the query string %s', async (query, kinds) => {
    const { get } = await emulatorWithMail();

    const { data } = (await (await get(query)).json()) as { data: { kind: string }[] };

    expect(data.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('responds to a browser with an HTML page that shows the newest messages first', async () => {
    const { emulator, get } = await emulatorWithMail();

    const answer = await get('', 'text/html,*/*;q=0.8');

    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await answer.text();
    expect(page.indexOf(emulator.inbox.latest()!.code!)).toBeGreaterThan(0);
    expect(page.indexOf('Your sign-in code')).toBeLessThan(page.indexOf('You have been invited'));
  });

  test('sends a content security policy that allows one script, and requests only to the emulator', async () => {
    const { get } = await emulatorWithMail();

    const policy = (await get('', 'text/html')).headers.get('content-security-policy');

    expect(policy).toMatch(/script-src 'nonce-[\w-]{36}'; connect-src 'self';/);
  });

  test('can be emptied with the button on its page, but not by a form on another site', async () => {
    const { emulator } = await emulatorWithMail();
    const [browser, stranger] = [new Browser(emulator), new Browser(emulator)];
    await browser.open('/_emulator/inbox');
    const before = emulator.inbox.messages.length;

    await stranger.post('/_emulator/inbox', new URLSearchParams());
    const still = emulator.inbox.messages.length;
    await browser.press('Empty inbox');

    expect([stranger.status, still === before, before > 0]).toEqual([403, true, true]);
    expect([browser.status, browser.title, emulator.inbox.messages]).toEqual([200, 'Inbox', []]);
  });

  test('shows no "Empty inbox" button while a filter is active', async () => {
    const { emulator } = await emulatorWithMail();
    const browser = new Browser(emulator);

    await browser.open('/_emulator/inbox?to=ada@example.com');

    expect(browser.buttons).toEqual([]);
  });

  test('escapes an address from the query string in the HTML page', async () => {
    const { get } = await emulatorWithMail();

    const page = await (await get('?to=<script>alert(1)</script>', 'text/html')).text();

    expect(page).not.toContain('<script>');
    expect(page).toContain('No messages yet');
  });
});
