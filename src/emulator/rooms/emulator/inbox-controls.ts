import { type Fields, nullable, open, optional, query, ref, string } from '../../../service/describe/define.js';
import { data, del, get, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../http/control.js';
import type { WaitOptions } from '../../world/inbox.js';
import { type Message, type MessageKind, message, waitOptions } from '../../world/inbox.js';

const messageFilter = query({
  /** Email address or phone number, case-insensitive. */
  to: optional(string),
  /** Kind of message: `magic_auth`, `invitation`, `email_verification`, `password_reset`, … */
  kind: optional(open<MessageKind>()),
});
/** Filter for messages; lists all by default. */
export interface MessageFilter extends Readonly<Fields<typeof messageFilter>> {}

const addressee = query({
  /** Email address or phone number; any by default. */
  to: optional(string),
});

/** Emails and text messages of the emulator. They are never really sent. */
export const inboxControls = {
  /** List messages, oldest first. In a browser, the same URL shows a page. */
  list: lookup(
    data('/_emulator/inbox', { query: messageFilter, returns: ref<Message>(message) }),
    ({ memory: { inbox } }, filter: MessageFilter = {}) =>
      (filter.to ? inbox.to(filter.to) : inbox.messages).filter(({ kind }) => !filter.kind || kind === filter.kind),
  ),
  /** Read the newest message, optionally of one address. Returns `undefined`, or `null` over HTTP, if there is none. */
  latest: lookup(
    get('/_emulator/inbox/latest', { query: addressee, returns: nullable(ref<Message>(message)) }),
    ({ memory: { inbox } }, address?: string | null) => inbox.latest(address ?? undefined) ?? null,
    { positional: ['to'] },
  ),
  /**
   * Wait for the next matching message, past or future.
   *
   * Each message is returned once, in order: a second call gets the second message. It does not matter whether the message or the
   * call happens first. Listing messages and reading the latest do not affect this.
   *
   * @example
   * const { code } = await emulator.inbox.waitFor({ to: 'ada@example.com', kind: 'magic_auth' });
   *
   * @throws {EmulatorRefusal} 404 `no_message` after the timeout, listing the messages that did arrive; 409 `closed` if the emulator is
   * reset or closed while waiting.
   */
  waitFor: control(
    post('/_emulator/inbox/wait_for', { body: ref<WaitOptions>(waitOptions), returns: ref<Message>(message) }),
    ({ memory: { inbox }, signal }, options: WaitOptions = {}) => inbox.waitFor(options, signal),
  ),
  /** Delete all messages. */
  clear: control(del('/_emulator/inbox', {}), ({ memory: { inbox } }) => inbox.clear()),
};

/** Emails and text messages of the emulator. They are never really sent. */
export interface Inbox extends Methods<typeof inboxControls> {
  /** All messages, oldest first. */
  readonly messages: readonly Message[];
  /** List the messages to one address, oldest first. The address is case-insensitive. */
  to(address: string): readonly Message[];
}
