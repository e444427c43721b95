import { chainOf } from '../errors/printable-cause.js';
import { isLike } from './json.js';

const fromAnotherUndici = /^invalid on\w+ method$/;
/** Messages of errors that every attempt meets: this runtime lacks something, or its `fetch` refuses what it is given. */
const lasting = /^invalid on\w+ method$|instance of AbortSignal|^\w+ is not defined$/;

const hasMessage = (error: unknown, pattern: RegExp): boolean =>
  chainOf(error).some(({ message }) => isLike(message, pattern));

/** Whether a failed request would fail again in the same way. */
export const isLasting = (error: unknown): boolean => hasMessage(error, lasting);

/** Return what to do about an error: the general advice, unless another undici is the cause, and that for a test environment. */
export const adviceFor = (error: unknown, general: string): string =>
  hasMessage(error, fromAnotherUndici)
    ? 'The dispatcher belongs to another undici than fetch. Import both from undici, and pass its fetch as the option fetch too'
    : [general, testEnvironmentAdvice()].filter(Boolean).join('. ');

/** Return what to do in a test environment that imitates a browser, or undefined elsewhere. */
export function testEnvironmentAdvice(): string | undefined {
  const { window, navigator } = globalThis as { window?: Pick<typeof globalThis, 'navigator'>; navigator?: Navigator };
  const userAgent = `${window?.navigator?.userAgent} ${navigator?.userAgent}`;
  const name = userAgent.includes('jsdom/') ? 'jsdom' : userAgent.includes('HappyDOM/') ? 'happy-dom' : undefined;
  return (
    name &&
    `This test runs in ${name}, which replaces parts of Node: write // @vitest-environment node at the top of its file, or @jest-environment node in Jest`
  );
}
