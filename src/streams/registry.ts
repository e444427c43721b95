import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { EventName } from '../service/event-names.js';
import type { Event, EventOf } from '../service/events.js';

/** What is done about events, by their types. A handler is called with what the caller knows beside the event. */
export type EventHandlers<Context = unknown> = {
  readonly [Name in EventName]?: (event: EventOf<Name>, context: Context) => unknown;
} & {
  /** Called for events of every other type, those that this version does not list among them. */
  readonly unhandled?: (event: Event, context: Context) => unknown;
};

/** Handles an event by its type: what `on` makes, for streams and webhooks alike. */
export interface EventHandler<Context = unknown> {
  (event: Event, context: Context): Promise<void>;
  /** The types that it handles; undefined where it handles all of them. */
  readonly types: readonly EventName[] | undefined;
}

/**
 * Make one handler out of one for each type of event. Streams and webhooks take it, and a stream asks the service only for the types
 * that are in it. With `unhandled` it asks for all of them.
 *
 * @throws {InvalidArgumentError} A handler is no function, or there is none.
 * @example
 * const handle = on({
 *   // Okta and Entra ID end access with dsync.user.updated and state: 'inactive'.
 *   'dsync.user.created': (event) => setAccess(event.data.id, event.data.state === 'active'),
 *   'dsync.user.updated': (event) => setAccess(event.data.id, event.data.state === 'active'),
 *   'dsync.user.deleted': (event) => setAccess(event.data.id, false),
 * });
 */
export function on<Context = unknown>(handlers: EventHandlers<Context>): EventHandler<Context> {
  const { unhandled, ...byType } = handlers;
  const known = new Map(Object.entries(byType));
  const wrong = Object.entries(handlers).find(([, handler]) => typeof handler !== 'function');
  if (wrong || Object.keys(handlers).length === 0)
    throw new InvalidArgumentError({
      what: wrong ? `The handler of ${wrong[0]} is no function` : 'on() has no handlers',
      why: 'Every entry is called with the events of its type',
      next: "Pass an object like { 'user.created': (event) => … }",
      argument: 'handlers',
    });
  const handle = async (event: Event, context: Context): Promise<void> => {
    const handler = known.get(event.event) ?? unhandled;
    // Each handler takes the events of its own type, by which it was found.
    await (handler as ((event: Event, context: Context) => unknown) | undefined)?.(event, context);
  };
  // The keys are names of types, as the parameter's type has it.
  const types = unhandled ? undefined : ([...known.keys()] as EventName[]);
  return Object.assign(handle, { types });
}
