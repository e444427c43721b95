import { ConfigurationError } from '../../errors/index.js';
import { EmulatorError } from './refusal.js';

/** Why the service wrote to somebody. */
export type MessageKind =
  | 'invitation'
  | 'email_verification'
  | 'email_change'
  | 'magic_auth'
  | 'password_reset'
  | 'passwordless_session'
  | 'mfa_sms'
  | (string & {});

/** An email or text message that the service would have sent. */
export interface Message {
  readonly kind: MessageKind;
  /** Email address, or telephone number of a text message. */
  readonly to: string;
  readonly subject: string;
  /** What the person reads. */
  readonly text: string;
  /** One-time code in it, if there is one. */
  readonly code?: string;
  /** Token in it, if there is one. */
  readonly token?: string;
  /** Link in it, if there is one. */
  readonly url?: string;
  /** ISO 8601 in UTC with milliseconds, by the emulator's clock. */
  readonly sentAt: string;
}

/** Which message to wait for; any when nothing is said. */
export interface MessageWanted {
  /** Email address or telephone number; the spelling of capitals does not matter. */
  readonly to?: string | undefined;
  readonly kind?: MessageKind | undefined;
  /** How long to wait, in milliseconds of real time, whatever the emulator's clock says; default 5000. */
  readonly timeoutMs?: number | undefined;
}

/** Where the emulator's mail ends up: nothing leaves the machine. */
export interface Inbox {
  /** Everything, oldest first. */
  readonly messages: readonly Message[];
  /** What one address got, oldest first; the spelling of capitals does not matter. */
  to(address: string): readonly Message[];
  /** The newest message, of one address if given. */
  latest(address?: string): Message | undefined;
  /**
   * The next message that fits, there already or still to come.
   *
   * Each message is handed out once, in the order of arrival: whether the mail or the call comes first makes no
   * difference, and a second call gets the second message, never the first one again. Reading `messages`, `to` or
   * `latest` hands nothing out.
   *
   * @example
   * const { code } = await emulator.inbox.waitFor({ to: 'ada@example.com', kind: 'magic_auth' });
   *
   * @throws {EmulatorError} `no_message` when none has come in time, naming those that have; `closed` when the emulator
   * is reset or closed meanwhile.
   */
  waitFor(wanted?: MessageWanted): Promise<Message>;
  /** Forget all messages. */
  clear(): void;
}

/** Messages kept; beyond it the oldest go. */
const kept = 10_000;
const defaultTimeoutMs = 5000;
/** The longest a timer of the runtime can wait. */
const longestTimeoutMs = 2 ** 31 - 1;

/** Somebody who waits for a message. */
interface Waiter {
  readonly fits: (message: Message) => boolean;
  readonly give: (message: Message) => void;
  readonly end: (error: EmulatorError) => void;
}

/** The messages of one world. */
export class Mailbox implements Inbox {
  readonly #messages: Message[] = [];
  readonly #handedOut = new WeakSet<Message>();
  /** In the order of their asking. */
  readonly #waiters = new Set<Waiter>();

  get messages(): readonly Message[] {
    return [...this.#messages];
  }

  to(address: string): readonly Message[] {
    return this.#messages.filter((message) => isTo(message, address));
  }

  latest(address?: string): Message | undefined {
    return (address === undefined ? this.#messages : this.to(address)).at(-1);
  }

  async waitFor(wanted: MessageWanted = {}): Promise<Message> {
    const { to, kind, timeoutMs = defaultTimeoutMs } = wanted;
    if (!(Number.isFinite(timeoutMs) && timeoutMs >= 0 && timeoutMs <= longestTimeoutMs))
      throw new ConfigurationError('invalid_option', {
        what: 'timeoutMs of inbox.waitFor must be a number of milliseconds from 0 to 2147483647',
        next: 'Correct timeoutMs, or leave it out',
      });
    const fits = (message: Message): boolean =>
      (to === undefined || isTo(message, to)) && (kind === undefined || message.kind === kind);
    const there = this.#messages.find((message) => !this.#handedOut.has(message) && fits(message));
    if (there) {
      this.#handedOut.add(there);
      return there;
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
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
      const timer = setTimeout(() => waiter.end(this.#noMessage(wanted, timeoutMs)), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  clear(): void {
    this.#messages.length = 0;
  }

  /** Puts a message into the inbox. */
  deliver(message: Message): void {
    if (this.#messages.length >= kept) this.#messages.shift();
    const delivered = Object.freeze({ ...message });
    this.#messages.push(delivered);
    for (const waiter of this.#waiters)
      if (waiter.fits(delivered)) {
        this.#handedOut.add(delivered);
        waiter.give(delivered);
        return;
      }
  }

  /** Sends whoever waits away: nothing will come any more. */
  close(): void {
    for (const waiter of this.#waiters)
      waiter.end(
        new EmulatorError('closed', {
          what: 'The emulator was reset or closed while inbox.waitFor was waiting for a message',
          next: 'Await the message before you reset or close the emulator',
        }),
      );
  }

  /** Says what was waited for and what came instead: kinds and addresses, never what was written. */
  #noMessage({ to, kind }: MessageWanted, timeoutMs: number): EmulatorError {
    const wanted = [kind === undefined ? 'message' : `${kind} message`, ...(to === undefined ? [] : [`to ${to}`])];
    const arrived = this.#messages.slice(-mostNamed).map((one) => {
      const again = this.#handedOut.has(one) ? ' (handed out before)' : '';
      return `${one.kind} to ${one.to}${again}`;
    });
    const earlier = this.#messages.length - arrived.length;
    return new EmulatorError('no_message', {
      what: `No ${wanted.join(' ')} came within ${timeoutMs} ms`,
      why:
        arrived.length === 0
          ? 'The inbox is empty'
          : `The inbox has ${earlier > 0 ? `${earlier} earlier messages, then ` : ''}${arrived.join(', ')}`,
      next: 'Check that the message is sent before or while you wait, and the address and kind you wait for',
    });
  }
}

/** Messages named one by one in an error. */
const mostNamed = 10;

const isTo = (message: Message, address: string): boolean => message.to.toLowerCase() === address.toLowerCase();
