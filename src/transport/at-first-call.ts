import type { Operation } from '../service/describe/operation.js';

/** An operation, or what loads it. */
export type Loadable<O extends Operation = Operation> = O | (() => Promise<O>);

/** An operation of a room by its name. */
type Named<Room> = <Name extends keyof Room>(name: Name) => Room[Name] | (() => Promise<Room[Name]>);

/**
 * The operations of rooms that are loaded together, with the first call of one of them: a program uses few rooms, and none while it
 * starts. Once they are loaded, a call finds its operation at once.
 */
export function atFirstCall<Rooms>(
  load: () => Promise<Rooms>,
): <Room extends keyof Rooms>(room: Room) => Named<Rooms[Room]> {
  let loaded: Rooms | undefined;
  return (room) => (name) =>
    loaded
      ? loaded[room][name]
      : async () => {
          loaded = await load();
          return loaded[room][name];
        };
}
