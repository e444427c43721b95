import { InvalidArgumentError } from '../../errors/index.js';
import { isTimestamp } from '../store/timestamp.js';

/** `'31d'`, `'12h'`, `'10m'`, `'5s'`, `'250ms'`, or milliseconds. */
export type Duration = `${number}${'d' | 'h' | 'm' | 's' | 'ms'}` | number;

/** A point in time: a `Date`, an ISO 8601 string with a zone, or milliseconds since 1970. */
export type Instant = Date | string | number;

/** The emulator's clock. All expiry, retries and timestamps use it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The current time as ISO 8601 in UTC, with milliseconds. */
  iso(): string;
  /**
   * Move the clock forward. Tasks that become due run in order, each at its scheduled time. Resolves when they have finished. Do
   * not await it inside a scheduled task: it would wait for itself.
   */
  advance(by: Duration): Promise<void>;
  /** Move the clock to a point in time. Moving back runs no tasks. */
  set(to: Instant): Promise<void>;
  /** Run a task at a time, in milliseconds since 1970. The returned function cancels it. */
  schedule(atMs: number, task: () => unknown): () => void;
  /** Return to the start: the given time, or real time. Scheduled tasks stay scheduled. */
  reset(): void;
  /** Cancel all scheduled tasks. */
  close(): void;
  /** Return the setting as data. Snapshots leave out a clock without this method. */
  save?(): SavedClock;
  /** Restore a saved setting. Tasks that were due in the meantime do not run. */
  restore?(saved: SavedClock): void;
  /** Call a listener whenever the clock is set or moved. The returned function removes it. */
  onMove?(listener: () => void): () => void;
}

/** Setting of a clock: its offset from real time in milliseconds, or the time it stands at. */
export type SavedClock = { readonly aheadMs: number } | { readonly standsAt: string };

/** Whether a value is a clock rather than a point in time. */
export const isClock = (value: Clock | Instant | undefined): value is Clock =>
  typeof value === 'object' && 'advance' in value;

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Convert a duration to milliseconds. @throws {InvalidArgumentError} */
export function millisecondsOf(duration: Duration): number {
  const match = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim()) : null;
  const ms = match ? Number(match[1]) * units[match[2] as keyof typeof units] : duration;
  if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  throw new InvalidArgumentError({
    argument: 'by',
    what: `The clock cannot move by ${nameOf(duration)}`,
    next: "Pass milliseconds or a string such as '31d', '12h', '10m', '5s' or '250ms'; to go back, use set",
  });
}

/** Convert a point in time to milliseconds since 1970. @throws {InvalidArgumentError} */
export function instantOf(instant: Instant): number {
  const ms = instant instanceof Date ? instant.getTime() : typeof instant === 'string' ? parseTime(instant) : instant;
  if (typeof ms === 'number' && Math.abs(ms) <= 8.64e15) return Math.trunc(ms);
  throw new InvalidArgumentError({
    argument: 'clock',
    what: `The clock cannot be set to ${nameOf(instant)}`,
    next: "Pass a Date, an ISO 8601 string with a time zone such as '2026-01-31T12:00:00.000Z', or milliseconds since 1970",
  });
}

/** Name a value without quoting a text, which may be a secret in the wrong place. */
const nameOf = (value: unknown): string => (typeof value === 'number' ? String(value) : `this ${typeof value}`);

const parseTime = (text: string): number => (isTimestamp(text) ? Date.parse(text) : Number.NaN);

interface Task {
  readonly at: number;
  readonly run: () => unknown;
}

/** Longest timeout that every runtime supports, in milliseconds. */
const maxTimeoutMs = 2 ** 31 - 1;

/**
 * Create a clock. With `start`, it only moves when you advance it. Without, it follows real time, and advancing it adds an
 * offset.
 *
 * @example
 * const clock = createClock('2026-01-01T00:00:00.000Z');
 * await clock.advance('31d');
 * clock.iso(); // 2026-02-01T00:00:00.000Z
 */
export function createClock(start?: Instant, realTime: () => number = () => Date.now()): Required<Clock> {
  const startMs = start === undefined ? undefined : instantOf(start);
  /** The current time of a clock with a start, otherwise the offset from real time. */
  let shift = startMs ?? 0;
  let follows = startMs === undefined;
  const listeners = new Set<() => void>();
  let tasks: Task[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Target time of an `advance` or `set` in progress. */
  let horizon: number | undefined;
  let run = Promise.resolve();

  const now = (): number => (follows ? realTime() + shift : shift);
  const move = (isFollowing: boolean, by: number): void => {
    follows = isFollowing;
    shift = by;
    for (const listener of listeners) listener();
  };
  const show = (ms: number): void => {
    move(follows, follows ? ms - realTime() : ms);
  };

  const watch = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const next = tasks[0];
    if (!follows || next === undefined || horizon !== undefined) return;
    timer = setTimeout(startDue, Math.min(maxTimeoutMs, Math.max(0, next.at - now())));
    // A pending task must not keep the process alive. Browsers' timers are plain numbers.
    (timer as { unref?: () => void }).unref?.();
  };

  /** Start the tasks that are due in real time, without waiting for slow ones. */
  const startDue = (): void => {
    for (let next = tasks[0]; next !== undefined && next.at <= now(); next = tasks[0]) {
      tasks.shift();
      void Promise.resolve().then(next.run);
    }
    watch();
  };

  const runDue = async (): Promise<void> => {
    const failures: unknown[] = [];
    // Another call may advance the clock, and so the horizon, while a task runs.
    while (tasks[0] !== undefined && tasks[0].at <= horizon!) {
      const task = tasks.shift()!;
      if (task.at > now()) show(task.at);
      try {
        await task.run();
      } catch (error) {
        failures.push(error);
      }
    }
    if (horizon! > now()) show(horizon!);
    horizon = undefined;
    watch();
    if (failures.length > 0) throw failures[0];
  };

  const runUntil = (ms: number): Promise<void> => {
    const idle = horizon === undefined;
    horizon = Math.max(horizon ?? ms, ms);
    if (idle) run = runDue();
    return run;
  };

  let lastMs = Number.NaN;
  let lastText = '';
  return {
    now,
    iso() {
      const ms = now();
      // Most records have two equal timestamps; share the string.
      if (ms !== lastMs) {
        lastText = new Date(ms).toISOString();
        lastMs = ms;
      }
      return lastText;
    },
    advance: async (by) => runUntil((horizon ?? now()) + millisecondsOf(by)),
    set: async (to) => {
      const ms = instantOf(to);
      if (ms >= now()) return runUntil(ms);
      show(ms);
      watch();
    },
    schedule(atMs, run) {
      const task = { at: atMs, run };
      let low = 0;
      let high = tasks.length;
      // Insert after tasks with the same time, so that they run in the order they were scheduled.
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (tasks[middle]!.at <= atMs) low = middle + 1;
        else high = middle;
      }
      tasks.splice(low, 0, task);
      watch();
      return () => {
        const at = tasks.indexOf(task);
        if (at < 0) return;
        tasks.splice(at, 1);
        watch();
      };
    },
    reset() {
      move(startMs === undefined, startMs ?? 0);
      watch();
    },
    save: () => (follows ? { aheadMs: shift } : { standsAt: new Date(shift).toISOString() }),
    restore(saved) {
      if ('standsAt' in saved) move(false, instantOf(saved.standsAt));
      else move(true, saved.aheadMs);
      watch();
    },
    onMove(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      tasks = [];
      watch();
    },
  };
}
