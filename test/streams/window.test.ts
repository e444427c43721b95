import type { Event } from 'sallyport';
import { expect, test } from 'vitest';
import { Window } from '../../src/streams/follow/window.js';

const begin = Date.parse('2026-05-04T08:00:00.000Z');
const eventAt = (second: number): Event =>
  ({
    id: `event_${second}`,
    event: 'user.created',
    data: {},
    createdAt: new Date(begin + second * 1_000).toISOString(),
  }) as never;
const page = (...seconds: number[]) => seconds.map((second) => ({ event: eventAt(second), isCursor: true }));
const empty = { settled: undefined, since: undefined, polledAt: 0, handled: new Map<string, number>() };
/** The time of a request by the local clock, which is a day ahead, and the minimum by the clock of the service. */
const asked = (now: number, service: number) => ({
  now: begin + 86_400_000 + now * 1_000,
  service: begin + service * 1_000,
});

/** Creates a window of a minute into which a page was listed and handled. */
function handled(seconds: number[], when: ReturnType<typeof asked>): Window {
  const window = new Window(empty, 60_000);
  window.sweep();
  for (const entry of window.list(page(...seconds), when)) window.finish(entry);
  return window;
}

test('an event is settled if the page that lists the event was requested at least a minute after the event', () => {
  expect(handled([0, 30], asked(0, 60)).settled?.id).toBe('event_0');
});

test('an event is not settled merely because the page lists an event that is a minute newer', () => {
  expect(handled([0, 30, 61], asked(0, 30)).settled).toBeUndefined();
});

test('an event is settled if the service still lists the event a minute after the first listing', () => {
  const window = handled([0], asked(0, 0));
  window.sweep();
  window.list(page(0), asked(59, 0));
  const early = window.settled;
  window.sweep();
  window.list(page(0), asked(60, 0));

  expect(early).toBeUndefined();
  expect(window.settled?.id).toBe('event_0');
  expect(window.size).toBe(0);
});

test('an event is settled only after all earlier events have been handled', () => {
  const window = new Window(empty, 60_000);
  window.sweep();
  const [first, second] = window.list(page(0, 1), asked(0, 100));
  window.finish(second!);
  const before = window.settled;
  window.finish(first!);

  expect(before).toBeUndefined();
  expect(window.settled?.id).toBe('event_1');
});

test('the window of recent events drops an event that the service no longer lists', () => {
  const window = handled([0, 1], asked(0, 0));
  window.sweep();
  window.list(page(1), asked(1, 1));
  window.complete();

  expect(window.size).toBe(1);
});
