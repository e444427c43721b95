import {
  between,
  body,
  boolean,
  type Fields,
  open,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../service/describe/define.js';
import { EmulatorRefusal } from '../store/refusal.js';
import type { Table } from '../store/table.js';
import { Waits, within } from './waits.js';

type KnownMessageKind =
  | 'invitation'
  | 'email_verification'
  | 'email_change'
  | 'magic_auth'
  | 'password_reset'
  | 'passwordless_session'
  | 'mfa_sms';
/** Reason the service sent a message. */
export type MessageKind = KnownMessageKind | (string & {});

/** Description of a `Message`. */
export const message = part({
  /** Reason it was sent. */
  kind: open<KnownMessageKind>(),
  /** Email address, or phone number for a text message. */
  to: string,
  subject: string,
  /** Body of the message. */
  text: string,
  /** One-time code in the message, if any. */
  code: optional(string),
  /** Token in the message, if any. */
  token: optional(string),
  /** Link in the message, if any. */
  url: optional(string),
  /** Time by the emulator's clock; ISO 8601 in UTC with milliseconds. */
  sentAt: timestamp,
});
/** An email or text message that the service would have sent. */
export interface Message extends Readonly<Fields<typeof message>> {}

/** Longest timeout the runtime supports. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Description of `WaitOptions`. */
export const waitOptions = body({
  /** Email address or phone number; case-insensitive. */
  to: optional(string),
  /** Kind of message: `magic_auth`, `invitation`, `email_verification`, `password_reset`, … */
  kind: optional(open<KnownMessageKind>()),
  /** How long to wait, in milliseconds of real time, regardless of the emulator's clock; default 5000. */
  timeoutMs: optional(between(0, maxTimeoutMs)),
});
/** Which message to wait for, and how long. Without `to` and `kind`, any message. */
export interface WaitOptions extends Readonly<Fields<typeof waitOptions>> {}

/** Maximum number of messages in an inbox. Beyond it, the oldest are dropped. */
const maxMessages = 10_000;
const defaultTimeoutMs = 5000;

const storedMessage = part({
  message: ref<Message>(message),
  /** Whether a `waitFor` call has returned it. */
  isHandedOut: boolean,
});
/** A message as the emulator stores it. */
export interface MessageRecord extends Readonly<Fields<typeof storedMessage>> {}
export const messageRecord = ref<MessageRecord>(storedMessage);

/** The messages of one world. */
export class Mailbox {
  /** By number, ascending. */
  readonly #records: Table<MessageRecord>;
  #lastNumber: number | undefined;
  readonly #waits = new Waits<Message>();
  readonly #onDrop: () => void;

  /** @param onDrop Called for every message that is dropped. */
  constructor(onDrop: () => void, records: Table<MessageRecord>) {
    this.#onDrop = onDrop;
    this.#records = records;
  }

  /** All messages, oldest first. */
  get messages(): readonly Message[] {
    return this.#records.values().map(({ message }) => message);
  }

  /** List the messages to one address, oldest first. Case-insensitive. */
  to(address: string): readonly Message[] {
    return this.messages.filter((message) => isTo(message, address));
  }

  /** The newest message, or the newest to one address. */
  latest(address?: string): Message | undefined {
    return (address === undefined ? this.messages : this.to(address)).at(-1);
  }

  /**
   * Wait for the next matching message, which may have arrived already. Each message is returned once, in order of arrival.
   * Abort `signal` to stop waiting.
   *
   * @throws {EmulatorRefusal} 404 `no_message`, with a list of those that did arrive, if none arrives in time. 409 `closed` if the world
   * ends.
   */
  async waitFor(options: WaitOptions = {}, signal?: AbortSignal): Promise<Message> {
    const { to, kind, timeoutMs = defaultTimeoutMs } = options;
    const matches = (message: Message): boolean =>
      (to === undefined || isTo(message, to)) && (kind === undefined || message.kind === kind);
    if (signal?.aborted) throw aborted();
    for (const [number, { message, isHandedOut }] of this.#records.entries())
      if (!isHandedOut && matches(message)) {
        this.#records.set(number, { message, isHandedOut: true });
        return message;
      }
    const result = await this.#waits.next(matches, within(timeoutMs), signal);
    if (result === 'late') throw this.#noMessage(options, timeoutMs);
    if (result === 'aborted') throw aborted();
    if (result === 'closed') throw closed();
    return result;
  }

  /** Delete all messages. */
  clear(): void {
    this.#records.clear();
  }

  /** Put a message into the inbox. */
  deliver(message: Message): void {
    const { first } = this.#records;
    if (first && this.#records.size >= maxMessages) {
      this.#records.delete(first[0]);
      this.#onDrop();
    }
    const copy = Object.freeze({ ...message });
    this.#lastNumber = 1 + (this.#lastNumber ?? Number(this.#records.keys().at(-1) ?? 0));
    this.#records.set(String(this.#lastNumber), { message: copy, isHandedOut: this.#waits.offer(copy) });
  }

  /** Refuse all pending and later `waitFor` calls. */
  close(): void {
    this.#waits.close();
  }

  /** Build the error for a timeout. It names the expected message and those that arrived, but only by kind and address. */
  #noMessage({ to, kind }: WaitOptions, timeoutMs: number): EmulatorRefusal {
    const description = [kind === undefined ? 'message' : `${kind} message`, ...(to === undefined ? [] : [`to ${to}`])];
    const descriptions = this.#records
      .values()
      .slice(-maxDescriptions)
      .map(({ message, isHandedOut }) => `${message.kind} to ${message.to}${isHandedOut ? ' (already returned)' : ''}`);
    const earlier = this.#records.size - descriptions.length;
    const instead =
      descriptions.length === 0
        ? 'The inbox is empty'
        : `The inbox contains ${earlier > 0 ? `${earlier} earlier messages, then ` : ''}${descriptions.join(', ')}`;
    return new EmulatorRefusal(
      404,
      'no_message',
      `No ${description.join(' ')} arrived within ${timeoutMs} ms. ${instead}. Check that the message is sent before or while you wait, and that the address and kind are right`,
    );
  }
}

const aborted = (): EmulatorRefusal => new EmulatorRefusal(409, 'closed', 'The caller stopped waiting for a message');

const closed = (): EmulatorRefusal =>
  new EmulatorRefusal(
    409,
    'closed',
    'The emulator was reset or closed, so no more messages will arrive. Await the message before you reset or close the emulator',
  );

/** Maximum number of messages listed in an error. */
const maxDescriptions = 10;

const isTo = (message: Message, address: string): boolean => message.to.toLowerCase() === address.toLowerCase();
