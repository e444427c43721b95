/** A channel of Node's module `diagnostics_channel`, for messages of one kind. */
interface Channel<Message> {
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}

type Diagnostics = { channel(name: string): Channel<unknown> } | undefined;

// Looking up a channel by its name takes longer than an operation of a store in memory.
const channels: Record<string, Channel<unknown> | undefined> = {};

/**
 * Return the channel `sallyport:<name>` if it has subscribers. Call it as `subscribed(name)?.publish(…)`, so that the message is only
 * created for subscribers. Runtimes without the module have no channels.
 */
export function subscribed<Message extends object>(name: string): Channel<Message> | undefined {
  channels[name] ??= nodeChannels()?.channel(`sallyport:${name}`);
  const channel = channels[name];
  return channel?.hasSubscribers ? channel : undefined;
}

function nodeChannels(): Diagnostics {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  try {
    return process?.getBuiltinModule?.('node:diagnostics_channel') as Diagnostics;
  } catch {
    // The edge runtime of Next throws when a program reads what only Node has.
    return undefined;
  }
}
