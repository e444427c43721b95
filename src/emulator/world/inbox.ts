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
import { Refusal } from './refusal.js';
import { Table } from './table.js';

type KnownMessageKind =
  | 'invitation'
  | 'email_verification'
  | 'email_change'
  | 'magic_auth'
  | 'password_reset'
  | 'passwordless_session'
  | 'mfa_sms';
/** Why the service wrote to somebody. */
export type MessageKind = KnownMessageKind | (string & {});

/** An email or text message, described. */
export const message = part({
  /** Why it was sent. */
  kind: open<KnownMessageKind>(),
  /** Email address, or telephone number of a text message. */
  to: string,
  subject: string,
  /** What the person reads. */
  text: string,
  /** One-time code in it, if there is one. */
  code: optional(string),
  /** Token in it, if there is one. */
  token: optional(string),
  /** Link in it, if there is one. */
  url: optional(string),
  /** ISO 8601 in UTC with milliseconds, by the emulator's clock. */
  sentAt: timestamp,
});
/** An email or text message that the service would have sent. */
export interface Message extends Readonly<Fields<typeof message>> {}

/** The longest a timer of the runtime can wait. */
const longestTimeoutMs = 2 ** 31 - 1;

/** Which message to wait for, described. */
export const waitOptions = body({
  /** Email address or telephone number; the spelling of capitals does not matter. */
  to: optional(string),
  /** Why it is sent: `magic_auth`, `invitation`, `email_verification`, `password_reset`, … */
  kind: optional(open<KnownMessageKind>()),
  /** How long to wait, in milliseconds of real time, whatever the emulator's clock says; default 5000. */
  timeoutMs: optional(between(0, longestTimeoutMs)),
});
/** Which message to wait for, and how long; any message where nothing is said. */
export interface WaitOptions extends Readonly<Fields<typeof waitOptions>> {}

/** The most messages in an inbox; beyond it the oldest go. */
const mostMessages = 10_000;
const defaultTimeoutMs = 5000;
/** Somebody who waits for a message. */
interface Waiter {
  readonly fits: (message: Message) => boolean;
  readonly give: (message: Message) => void;
  readonly end: (error: Refusal) => void;
}

const storedMessage = part({
  message: ref<Message>(message),
  /** Whether somebody who waited for it has got it. */
  isHandedOut: boolean,
});
/** A message as the emulator stores it. */
export interface MessageRecord extends Readonly<Fields<typeof storedMessage>> {}
export const messageRecord = ref<MessageRecord>(storedMessage);

/** The messages of one world. */
export class Mailbox {
  /** By their numbers, which rise. */
  readonly #records: Table<MessageRecord>;
  #lastNumber: number | undefined;
  /** In the order in which they asked. */
  readonly #waiters = new Set<Waiter>();
  #isClosed = false;
  readonly #onDrop: () => void;

  /** @param onDrop Called for every message that is forgotten. */
  constructor(onDrop: () => void = () => undefined, records = new Table<MessageRecord>()) {
    this.#onDrop = onDrop;
    this.#records = records;
  }

  /** Everything, oldest first. */
  get messages(): readonly Message[] {
    return this.#records.values().map(({ message }) => message);
  }

  /** What one address got, oldest first; the spelling of capitals does not matter. */
  to(address: string): readonly Message[] {
    return this.messages.filter((message) => isTo(message, address));
  }

  /** The newest message, of one address if given. */
  latest(address?: string): Message | undefined {
    return (address === undefined ? this.messages : this.to(address)).at(-1);
  }

  /**
   * The next message that fits, there already or still to come; each is handed out once, in the order of arrival. Nothing is
   * handed out to whoever has gone, as `signal` says.
   *
   * @throws {Refusal} 404 `no_message` when none has come in time, naming those that have; 409 `closed` when the world ends
   * meanwhile.
   */
  async waitFor(options: WaitOptions = {}, signal?: AbortSignal): Promise<Message> {
    const { to, kind, timeoutMs = defaultTimeoutMs } = options;
    const fits = (message: Message): boolean =>
      (to === undefined || isTo(message, to)) && (kind === undefined || message.kind === kind);
    for (const [number, { message, isHandedOut }] of this.#records.entries())
      if (!isHandedOut && fits(message)) {
        this.#records.set(number, { message, isHandedOut: true });
        return message;
      }
    if (this.#isClosed) throw closed();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', go);
      };
      const waiter: Waiter = {
        fits,
        give: (message) => {
          leave();
          resolve(message);
        },
        end: (error) => {
          leave();
          reject(error);
        },
      };
      const go = (): void => waiter.end(new Refusal(409, 'closed', 'Whoever waited for a message has gone'));
      const timer = setTimeout(() => waiter.end(this.#noMessage(options, timeoutMs)), timeoutMs);
      signal?.addEventListener('abort', go, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** Forget all messages. */
  clear(): void {
    this.#records.clear();
  }

  /** Put a message into the inbox. */
  deliver(message: Message): void {
    const { first } = this.#records;
    if (first && this.#records.size >= mostMessages) {
      this.#records.delete(first[0]);
      this.#onDrop();
    }
    const copy = Object.freeze({ ...message });
    const [waiter] = [...this.#waiters].filter(({ fits }) => fits(copy));
    this.#lastNumber = 1 + (this.#lastNumber ?? Number(this.#records.keys().at(-1) ?? 0));
    this.#records.set(String(this.#lastNumber), { message: copy, isHandedOut: waiter !== undefined });
    waiter?.give(copy);
  }

  /** Send whoever waits away: nothing will come any more. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.end(closed());
  }

  /** Say what was waited for and what came instead: kinds and addresses, never what was written. */
  #noMessage({ to, kind }: WaitOptions, timeoutMs: number): Refusal {
    const description = [kind === undefined ? 'message' : `${kind} message`, ...(to === undefined ? [] : [`to ${to}`])];
    const descriptions = this.#records
      .values()
      .slice(-mostDescriptions)
      .map(
        ({ message, isHandedOut }) => `${message.kind} to ${message.to}${isHandedOut ? ' (handed out before)' : ''}`,
      );
    const earlier = this.#records.size - descriptions.length;
    const instead =
      descriptions.length === 0
        ? 'The inbox is empty'
        : `The inbox has ${earlier > 0 ? `${earlier} earlier messages, then ` : ''}${descriptions.join(', ')}`;
    return new Refusal(
      404,
      'no_message',
      `No ${description.join(' ')} came within ${timeoutMs} ms. ${instead}. Check that the message is sent before or while you wait, and the address and kind you wait for`,
    );
  }
}

const closed = (): Refusal =>
  new Refusal(
    409,
    'closed',
    'The emulator was reset or closed, and no message will come any more. Await the message before you reset or close the emulator',
  );

/** Messages named one by one in an error. */
const mostDescriptions = 10;

const isTo = (message: Message, address: string): boolean => message.to.toLowerCase() === address.toLowerCase();
