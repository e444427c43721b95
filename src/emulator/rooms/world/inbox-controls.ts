import { type Fields, nullable, open, optional, query, ref, string } from '../../../service/describe/define.js';
import { data, del, get, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import type { WaitOptions } from '../../world/inbox.js';
import { type Message, type MessageKind, message, waitOptions } from '../../world/inbox.js';

const messageFilter = query({
  /** Email address or telephone number; the spelling of capitals does not matter. */
  to: optional(string),
  /** Why it was sent: `magic_auth`, `invitation`, `email_verification`, `password_reset`, … */
  kind: optional(open<MessageKind>()),
});
/** Which messages to list; all when nothing is said. */
export interface MessageFilter extends Readonly<Fields<typeof messageFilter>> {}

const addressee = query({
  /** Email address or telephone number; anybody's when not given. */
  to: optional(string),
});

/** Where the emulator's mail ends up: nothing leaves the machine. */
export const inboxControls = {
  /** List messages, oldest first. In a browser the same address is a page. */
  list: lookup(
    data('/_emulator/inbox', { query: messageFilter, returns: ref<Message>(message) }),
    ({ world: { inbox } }, filter: MessageFilter = {}) =>
      (filter.to ? inbox.to(filter.to) : inbox.messages).filter(({ kind }) => !filter.kind || kind === filter.kind),
  ),
  /** Read the newest message, of one address if given; `undefined`, and `null` over HTTP, when there is none. */
  latest: lookup(
    get('/_emulator/inbox/latest', { query: addressee, returns: nullable(ref<Message>(message)) }),
    ({ world: { inbox } }, address?: string | null) => inbox.latest(address ?? undefined) ?? null,
    { positional: ['to'] },
  ),
  /**
   * Wait for the next message that fits, there already or still to come.
   *
   * Each message is handed out once, in the order of arrival: whether the mail or the call comes first makes no
   * difference, and a second call gets the second message, never the first one again. Listing messages and reading the
   * latest hands nothing out.
   *
   * @example
   * const { code } = await emulator.inbox.waitFor({ to: 'ada@example.com', kind: 'magic_auth' });
   *
   * @throws {Refusal} 404 `no_message` when none has come in time, naming those that have; 409 `closed` when the emulator
   * is reset or closed meanwhile.
   */
  waitFor: control(
    post('/_emulator/inbox/wait_for', { body: ref<WaitOptions>(waitOptions), returns: ref<Message>(message) }),
    ({ world: { inbox }, signal }, options: WaitOptions = {}) => inbox.waitFor(options, signal),
  ),
  /** Forget all messages. */
  clear: control(del('/_emulator/inbox', {}), ({ world: { inbox } }) => inbox.clear()),
};

/** Where the emulator's mail ends up: nothing leaves the machine. */
export interface Inbox extends Methods<typeof inboxControls> {
  /** Everything, oldest first. */
  readonly messages: readonly Message[];
  /** What one address got, oldest first; the spelling of capitals does not matter. */
  to(address: string): readonly Message[];
}
