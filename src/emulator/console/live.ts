import type { DeliveryRecord } from '../rooms/webhooks/deliveries.js';
import { summaryOf } from '../rooms/world/request-controls.js';
import { Answer, json, ownAnswer } from '../server/answer.js';
import { requestLog } from '../server/request-log.js';
import type { RoomPart } from '../server/router.js';
import type { MessageRecord } from '../world/inbox.js';
import { slot, type World } from '../world/world.js';

/** Where the pages of the console hear what happens. */
export const livePath = '/_emulator/live';

/** What they hear of, `changes` of whatever has changed in the world; one who hears `gap` has missed something and looks again. */
export type LiveKind = 'requests' | 'events' | 'messages' | 'deliveries' | 'changes';

/** The most pages that listen to one world at a time. */
const mostListeners = 32;
/** The most bytes that wait for one page; what comes beyond is not told, only that something was. */
const mostBytesWaiting = 64 * 1024;

/** Puts one thing into a stream. */
type Tell = (kind: LiveKind, what: object) => void;

interface Listener {
  readonly tell: Tell;
  readonly end: () => void;
}

/** What happens in one world, for those who listen just now; nothing is followed while nobody does. */
class Live {
  readonly #world: World;
  readonly #listeners = new Set<Listener>();
  #unfollow: (() => void) | undefined;

  constructor(world: World) {
    this.#world = world;
    world.onClose(() => {
      for (const { end } of this.#listeners) end();
    });
  }

  get isFull(): boolean {
    return this.#listeners.size >= mostListeners;
  }

  /** A stream of server-sent events, for as long as it is read and the world is there. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const encoder = new TextEncoder();
    let listener: Listener;
    let hasGap = false;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          const send = (text: string): void => controller.enqueue(encoder.encode(text));
          listener = {
            tell: (kind, what) => {
              if ((controller.desiredSize ?? 0) > 0) send(`event: ${kind}\ndata: ${JSON.stringify(what)}\n\n`);
              else hasGap = true;
            },
            end: () => {
              this.#leave(listener);
              controller.close();
            },
          };
          this.#join(listener);
          // How soon a browser comes back, in milliseconds.
          send('retry: 500\n\n');
        },
        pull: (controller) => {
          if (hasGap) controller.enqueue(encoder.encode('event: gap\ndata: {}\n\n'));
          hasGap = false;
        },
        cancel: () => this.#leave(listener),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostBytesWaiting }),
    );
  }

  #join(listener: Listener): void {
    this.#listeners.add(listener);
    this.#unfollow ??= this.#follow((kind, what) => {
      for (const { tell } of this.#listeners) tell(kind, what);
    });
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  /** Tell of whatever happens as the lists of the console show it: without secrets, and without what was written. */
  #follow(tell: Tell): () => void {
    const world = this.#world;
    let isTold = false;
    const tellOfChanges = (): void => {
      // Once of all that changes at once.
      if (isTold) return;
      isTold = true;
      queueMicrotask(() => {
        isTold = false;
        tell('changes', {});
      });
    };
    const ends = [
      world.of(requestLog).listen((request) => {
        const { durationMs, clientMethod, ...rest } = summaryOf(world, request);
        tell('requests', { ...rest, duration_ms: durationMs, client_method: clientMethod });
      }),
      world.onEvent(({ id, event, createdAt }) => tell('events', { id, event, created_at: createdAt })),
      world.onChange(({ store, key, value }) => {
        tellOfChanges();
        if (store === 'message') tell('messages', { id: key, ...messageIn(value) });
        if (store === 'delivery' && value) tell('deliveries', { id: key, ...deliveryIn(value) });
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
}

/** Nothing of a message that was thrown away. */
function messageIn(value: unknown): object {
  if (!value) return {};
  const { kind, to, subject, sentAt } = (value as MessageRecord).message;
  return { kind, to, subject, sent_at: sentAt };
}

function deliveryIn(value: unknown): object {
  const { endpointId, event, state } = value as DeliveryRecord;
  return { endpoint_id: endpointId, event_id: event.id, event: event.event, state };
}

/** The connection ends with the stream: an emulator that closes need not wait until it is idle long enough. */
const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', connection: 'close' };

const live = slot('live', 'pages that listen just now', (world) => new Live(world));

/** What happens as it happens, for pages of the console. */
export const liveStream: RoomPart = {
  routes(router) {
    router.stream(livePath, ({ world }) => {
      const own = world.of(live);
      const answer = own.isFull
        ? json(503, {
            code: 'too_many_listeners',
            message: `${mostListeners} pages listen already. Close some of them`,
          })
        : new Answer(200, null, [['content-type', 'text/event-stream']], undefined, () => own.stream());
      return ownAnswer('page', answer.with(headers));
    });
  },
};
