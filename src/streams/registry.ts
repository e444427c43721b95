import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { EventName } from '../service/events/names.js';
import type { Event, EventOf } from '../service/events.js';

/** Handlers by event type. Each gets the event and the context of the caller. */
export type EventHandlers<Context = unknown> = {
  readonly [Name in EventName]?: (event: EventOf<Name>, context: Context) => unknown;
} & {
  /** Called for events of all other types, including types unknown to this version. */
  readonly unhandled?: (event: Event, context: Context) => unknown;
};

/** The result of `on`: a function that handles an event by its type, for streams and webhooks. */
export interface EventHandler<Context = unknown> {
  (event: Event, ...context: ContextArgument<Context>): Promise<void>;
  /** The event types that it handles; undefined for all. */
  readonly events: readonly EventName[] | undefined;
}

/** The context of the caller, which a handler that takes any context does not need. */
type ContextArgument<Context> = unknown extends Context ? [context?: Context] : [context: Context];

/**
 * Combine handlers for single event types into one, for streams and webhooks. A stream requests only the types that have a
 * handler, or all types if there is an `unhandled` handler.
 *
 * @throws {InvalidArgumentError} A handler is not a function, or none was passed.
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
  const handlersByType = new Map(Object.entries(byType));
  const invalid = Object.entries(handlers).find(([, handler]) => typeof handler !== 'function');
  if (invalid || Object.keys(handlers).length === 0)
    throw new InvalidArgumentError({
      what: invalid ? `The handler of ${invalid[0]} is not a function` : 'on() has no handlers',
      why: 'Each entry handles the events of its type',
      next: "Pass an object like { 'user.created': (event) => … }",
      argument: 'handlers',
    });
  const handle = async (event: Event, ...[context]: ContextArgument<Context>): Promise<void> => {
    const handler = handlersByType.get(event.event) ?? unhandled;
    // The handler was found by the type of the event, so it accepts this event.
    await (handler as ((event: Event, context?: Context) => unknown) | undefined)?.(event, context);
  };
  // The type of the parameter restricts the keys to event names.
  const events = unhandled ? undefined : ([...handlersByType.keys()] as EventName[]);
  return Object.assign(handle, { events });
}
