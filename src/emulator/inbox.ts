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

/** Where the emulator's mail ends up: nothing leaves the machine. */
export interface Inbox {
  /** Everything, oldest first. */
  readonly messages: readonly Message[];
  /** What one address got, oldest first; the spelling of capitals does not matter. */
  to(address: string): readonly Message[];
  /** The newest message, of one address if given. */
  latest(address?: string): Message | undefined;
  /** Forget all messages. */
  clear(): void;
}

/** Messages kept; beyond it the oldest go. */
const kept = 10_000;

/** The messages of one world. */
export class Mailbox implements Inbox {
  readonly #messages: Message[] = [];

  get messages(): readonly Message[] {
    return [...this.#messages];
  }

  to(address: string): readonly Message[] {
    const wanted = address.toLowerCase();
    return this.#messages.filter((message) => message.to.toLowerCase() === wanted);
  }

  latest(address?: string): Message | undefined {
    return (address === undefined ? this.#messages : this.to(address)).at(-1);
  }

  clear(): void {
    this.#messages.length = 0;
  }

  /** Puts a message into the inbox. */
  deliver(message: Message): void {
    if (this.#messages.length >= kept) this.#messages.shift();
    this.#messages.push(Object.freeze({ ...message }));
  }
}
