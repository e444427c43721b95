import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { onTestFinished } from 'vitest';

/** A message of a diagnostics channel. */
export type Published = readonly [channel: string, message: Readonly<Record<string, unknown>>];

/** Subscribe to channels until the test ends. Returns their messages, in order. */
export function published(...channels: readonly string[]): Published[] {
  const all: Published[] = [];
  for (const channel of channels) {
    const listener = (message: unknown) => void all.push([channel, message as Published[1]]);
    subscribe(channel, listener);
    onTestFinished(() => void unsubscribe(channel, listener));
  }
  return all;
}

/** The canaries that messages contain, by channel. */
export const leaks = (messages: readonly Published[], canaries: readonly string[]): string[] =>
  messages.flatMap(([channel, message]) => {
    const text = inspect(message, { depth: Infinity, showHidden: true }) + JSON.stringify(message);
    return canaries.filter((canary) => text.includes(canary)).map((canary) => `${channel}: ${canary}`);
  });
