import { Answer, json, markAnswer } from '../http/answer.js';
import type { RoomPart } from '../http/router.js';
import { requestLog } from '../rooms/requests/request-log.js';
import { type Memory, slot } from '../world/memory.js';

/** Path of the stream of live messages. */
export const livePath = '/_emulator/live';

/** Kinds of live messages: a request was answered, or a record changed. Pages then load themselves again. */
export type LiveKind = 'requests' | 'changes';

/** Maximum number of open pages per world. */
const maxListeners = 32;

interface Listener {
  readonly send: (kind: LiveKind) => void;
  readonly end: () => void;
}

/** Sends the changes of one world to open pages. It listens to the world only while a page is open. */
class Live {
  readonly #memory: Memory;
  readonly #listeners = new Set<Listener>();
  #unsubscribe: (() => void) | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
    memory.onClose(() => {
      for (const { end } of this.#listeners) end();
    });
  }

  get isFull(): boolean {
    return this.#listeners.size >= maxListeners;
  }

  /** Create a stream of server-sent events. It ends when the client disconnects or the world ends. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const encoder = new TextEncoder();
    let listener: Listener;
    // Kinds that changed since the page last read. Merging them keeps the buffer small.
    const pending = new Set<LiveKind>();
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        const write = (text: string): void => controller.enqueue(encoder.encode(text));
        listener = {
          send: (kind) => {
            if ((controller.desiredSize ?? 0) > 0) write(messageOf(kind));
            else pending.add(kind);
          },
          end: () => {
            this.#leave(listener);
            controller.close();
          },
        };
        this.#join(listener);
        // Milliseconds until a browser reconnects.
        write('retry: 500\n\n');
      },
      pull: (controller) => {
        if (pending.size > 0) controller.enqueue(encoder.encode([...pending].map(messageOf).join('')));
        pending.clear();
      },
      cancel: () => this.#leave(listener),
    });
  }

  #join(listener: Listener): void {
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.#subscribe((kind) => {
      for (const { send } of this.#listeners) send(kind);
    });
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #subscribe(send: (kind: LiveKind) => void): () => void {
    const unsubscribers = [
      this.#memory.of(requestLog).listen(() => send('requests')),
      this.#memory.onChange(() => send('changes')),
    ];
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }
}

/** Browsers ignore messages without data. */
const messageOf = (kind: LiveKind): string => `event: ${kind}\ndata: {}\n\n`;

/** The connection closes with the stream, so that a closing emulator need not wait for it. */
const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', connection: 'close' };

const live = slot('live', 'open pages do not survive', (memory) => new Live(memory));

/** The stream of live messages for console pages. */
export const liveStream: RoomPart = {
  routes(router) {
    router.stream(livePath, ({ memory }) => {
      const updates = memory.of(live);
      const answer = updates.isFull
        ? json(503, {
            code: 'too_many_listeners',
            message: `${maxListeners} pages are already open. Close some of them`,
          })
        : new Answer(200, null, [['content-type', 'text/event-stream']], undefined, () => updates.stream());
      return markAnswer('page', answer.with(headers));
    });
  },
};
