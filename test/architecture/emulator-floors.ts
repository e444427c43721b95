import { type Import, targetOf } from './imports.js';

/** The floors of the emulator, from the ground up: a folder or file imports itself and those before it. */
const floors: readonly string[] = [
  'store',
  'world',
  'state',
  'seed',
  'http',
  'rooms',
  'sign-in',
  'hosted',
  'console',
  'chain',
  'registry.ts',
  'seed.ts',
  'api',
];

/** The other files outside of the folders: they may import everything. */
const roof: readonly string[] = ['body.ts', 'command-line.ts', 'emulator.ts', 'index.ts'];

/** The rooms that a room stands on; every other room stands on organizations alone. */
const roomsBelow: Readonly<Record<string, readonly string[]>> = {
  organizations: [],
  users: ['organizations'],
  connections: ['organizations'],
  memberships: ['organizations', 'users', 'connections'],
  invitations: ['organizations', 'users', 'connections', 'memberships'],
  events: ['organizations', 'faults'],
  webhooks: ['organizations', 'faults'],
  emulator: ['api-keys', 'faults', 'rate-limits', 'redirect-uris', 'requests'],
};

const home = 'src/emulator/';

/** Imports inside the emulator that go up a floor, or to a room that is not below; imports of types count. */
export const emulatorCrossings = (imports: readonly Import[]): string[] =>
  imports.flatMap((one) => {
    const target = targetOf(one);
    if (!one.from.startsWith(home) || !target?.startsWith(home)) return [];
    return isDownwards(one.from.slice(home.length), target.slice(home.length))
      ? []
      : [`${one.from}: may not import ${target}`];
  });

function isDownwards(from: string, target: string): boolean {
  if (roof.includes(from)) return true;
  const [floor, room] = from.split('/') as [string, string];
  const [targetFloor, targetRoom] = target.split('/') as [string, string];
  if (floor === 'rooms' && targetFloor === 'rooms')
    return room === targetRoom || (roomsBelow[room] ?? ['organizations']).includes(targetRoom);
  return floors.includes(targetFloor) && floors.indexOf(targetFloor) <= floors.indexOf(floor);
}

/** Files of the emulator that stand on no floor. */
export const homeless = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => path.startsWith(home))
    .filter((path) => {
      const inside = path.slice(home.length);
      return !floors.includes(inside.split('/')[0]!) && !roof.includes(inside);
    })
    .map(
      (path) =>
        `${path}: belongs into one of the emulator's folders ${floors.filter((floor) => !floor.endsWith('.ts')).join(', ')}`,
    );
