import { InvalidArgumentError } from '../../errors/index.js';

/** `'31d'`, `'12h'`, `'10m'`, `'5s'`, `'250ms'`, or milliseconds. */
export type Duration = `${number}${'d' | 'h' | 'm' | 's' | 'ms'}` | number;

/** A point in time: a date, an ISO 8601 text, or milliseconds since 1970. */
export type Instant = Date | string | number;

/** The emulator's time. Everything that expires, retries or is dated goes by it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** ISO 8601 in UTC with milliseconds. */
  iso(): string;
  /**
   * Move forward. What falls due on the way is done in order, each at its own time; resolves when it is done.
   * Not to be awaited from inside a scheduled task, which it would wait for.
   */
  advance(by: Duration): Promise<void>;
  /** Move to a point in time; backwards does nothing that was due. */
  set(to: Instant): Promise<void>;
  /** Have something done at a time; the function returned calls it off. */
  schedule(atMs: number, task: () => unknown): () => void;
  /** Back to the start: the given time, or the real one. What is scheduled stays scheduled. */
  reset(): void;
  /** Forget all that is scheduled. */
  close(): void;
  /** How it is set, as data; a clock without it is in no snapshot. */
  save?(): SavedClock;
  /** Be set as it was when that was saved. What fell due meanwhile is not done. */
  restore?(saved: SavedClock): void;
  /** Call a listener whenever it has been set or moved, until the returned function is called. */
  onMove?(listener: () => void): () => void;
}

/** How a clock is set: how far it is ahead of real time, in milliseconds, or the time at which it stands. */
export type SavedClock = { readonly aheadMs: number } | { readonly standsAt: string };

/** Whether it is a clock, rather than the time at which one stands. */
export const isClock = (value: Clock | Instant): value is Clock => typeof value === 'object' && 'advance' in value;

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration in milliseconds. @throws {InvalidArgumentError} */
export function millisecondsOf(duration: Duration): number {
  const match = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim()) : null;
  const ms = match ? Number(match[1]) * units[match[2] as keyof typeof units] : duration;
  if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  throw new InvalidArgumentError({
    argument: 'by',
    what: `The clock cannot move by ${JSON.stringify(duration)}`,
    next: "Pass milliseconds or a text such as '31d', '12h', '10m', '5s' or '250ms'; to go back use set",
  });
}

/** A point in time in milliseconds. @throws {InvalidArgumentError} */
export function instantOf(instant: Instant): number {
  const ms = instant instanceof Date ? instant.getTime() : typeof instant === 'string' ? Date.parse(instant) : instant;
  if (typeof ms === 'number' && Math.abs(ms) <= 8.64e15) return Math.trunc(ms);
  throw new InvalidArgumentError({
    argument: 'clock',
    what: `The clock cannot be set to ${typeof instant === 'string' ? JSON.stringify(instant) : `this ${typeof instant}`}`,
    next: "Pass a Date, an ISO 8601 text such as '2026-01-31T12:00:00.000Z', or milliseconds since 1970",
  });
}

interface Task {
  readonly at: number;
  readonly run: () => unknown;
}

/** Longest wait that timers of every runtime keep. */
const longestWait = 2 ** 31 - 1;

/**
 * A clock. With a start it stands still until it is moved; without one it follows real time, and moving it adds an offset.
 *
 * @example
 * const clock = createClock('2026-01-01T00:00:00.000Z');
 * await clock.advance('31d');
 * clock.iso(); // 2026-02-01T00:00:00.000Z
 */
export function createClock(start?: Instant, realTime: () => number = () => Date.now()): Required<Clock> {
  const startMs = start === undefined ? undefined : instantOf(start);
  /** Standing still: the time itself. Following: what is added to real time. */
  let shift = startMs ?? 0;
  let follows = startMs === undefined;
  const listeners = new Set<() => void>();
  let tasks: Task[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** How far the clock is being moved just now. */
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
    timer = setTimeout(startDue, Math.min(longestWait, Math.max(0, next.at - now())));
    // A pending task must not keep the process alive. Browsers' timers are plain numbers.
    (timer as { unref?: () => void }).unref?.();
  };

  /** Start what is due by real time. A slow task does not hold up the next one. */
  const startDue = (): void => {
    for (let next = tasks[0]; next !== undefined && next.at <= now(); next = tasks[0]) {
      tasks.shift();
      void Promise.resolve().then(next.run);
    }
    watch();
  };

  const runDue = async (): Promise<void> => {
    const failures: unknown[] = [];
    // The horizon may move on while a task runs: somebody else advances the same clock.
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
      // The same text for all of the same time: most records carry it twice.
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
      // After all that is due at the same time, so that equal times keep their order.
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
