import { Answer, json, markAnswer } from '../http/answer.js';
import type { RoomPart } from '../http/router.js';
import { summaryOf } from '../rooms/requests/controls.js';
import { requestLog } from '../rooms/requests/request-log.js';
import type { DeliveryRecord } from '../rooms/webhooks/deliveries.js';
import type { MessageRecord } from '../world/inbox.js';
import { type Memory, slot } from '../world/memory.js';

/** Path of the stream of live messages. */
export const livePath = '/_emulator/live';

/** Kinds of live messages. `changes` means that any record changed. */
export type LiveKind = 'requests' | 'events' | 'messages' | 'deliveries' | 'changes';

/** Maximum number of open pages per world. */
const maxListeners = 32;
/** Maximum bytes buffered for one page. Beyond it, messages are dropped, and a `gap` message tells the page to reload. */
const maxBufferedBytes = 64 * 1024;

/** Sends a live message. */
type Send = (kind: LiveKind, data: object) => void;

interface Listener {
  readonly send: Send;
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
    let hasGap = false;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          const write = (text: string): void => controller.enqueue(encoder.encode(text));
          listener = {
            send: (kind, data) => {
              if ((controller.desiredSize ?? 0) > 0) write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
              else hasGap = true;
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
          if (hasGap) controller.enqueue(encoder.encode('event: gap\ndata: {}\n\n'));
          hasGap = false;
        },
        cancel: () => this.#leave(listener),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
    );
  }

  #join(listener: Listener): void {
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.#subscribe((kind, data) => {
      for (const { send } of this.#listeners) send(kind, data);
    });
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Send requests, events and changes as the lists of the console show them: without secrets and message texts. */
  #subscribe(send: Send): () => void {
    const memory = this.#memory;
    let isScheduled = false;
    const sendChanges = (): void => {
      // Send one message for all changes of a task.
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(() => {
        isScheduled = false;
        send('changes', {});
      });
    };
    const unsubscribers = [
      memory.of(requestLog).listen((request) => {
        const { durationMs, clientMethod, ...rest } = summaryOf(memory, request);
        send('requests', { ...rest, duration_ms: durationMs, client_method: clientMethod });
      }),
      memory.onEvent(({ id, event, createdAt }) => send('events', { id, event, created_at: createdAt })),
      memory.onChange(({ store, key, value }) => {
        sendChanges();
        if (store === 'message') send('messages', { id: key, ...messageIn(value) });
        if (store === 'delivery' && value) send('deliveries', { id: key, ...deliveryIn(value) });
      }),
    ];
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }
}

/** Summarize a message; empty if it was deleted. */
function messageIn(value: unknown): object {
  if (!value) return {};
  const { kind, to, subject, sentAt } = (value as MessageRecord).message;
  return { kind, to, subject, sent_at: sentAt };
}

function deliveryIn(value: unknown): object {
  const { endpointId, event, state } = value as DeliveryRecord;
  return { endpoint_id: endpointId, event_id: event.id, event: event.event, state };
}

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
