import type { DeliveryFailure } from '../../emulator/command-line.js';
import { pc } from '../colours.js';
import { printable } from '../printable.js';

/** Format a failed webhook as one line: its event, the cause, and the next attempt. */
export function failedDeliveryLine({ event, status, error, retryInMs }: DeliveryFailure): string {
  const causes = [...(status === undefined ? [] : [`status ${status}`]), ...(error === undefined ? [] : [error])];
  const next =
    retryInMs === undefined
      ? 'That was the last attempt. You can send it again on the Webhooks page of the console'
      : `Trying again in ${spanOf(retryInMs)}`;
  return `${pc.yellow('sallyport:')} Webhook ${printable(event)} failed: ${printable(causes.join(', '))}. ${next}.\n`;
}

const spanOf = (ms: number): string => {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
};
