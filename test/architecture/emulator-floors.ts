import { type Import, targetOf } from './imports.js';

/** The layers of the emulator, from the lowest: a folder or file imports itself and those before it. The first that fits counts. */
const floors: readonly string[] = [
  'store',
  'world',
  'state',
  'seed',
  'http',
  'rooms',
  'sign-in/factors',
  'sign-in/proof',
  'sign-in/keys',
  'sign-in/sessions',
  'sign-in/sso',
  'sign-in/codes',
  'sign-in/authorizations',
  'sign-in/grants',
  'sign-in',
  'hosted',
  'console',
  'chain',
  'registry.ts',
  'seed.ts',
  'api',
];

/** The other files next to the folders, which may import everything. */
const roof: readonly string[] = ['body.ts', 'command-line.ts', 'emulator.ts', 'index.ts'];

/** The rooms that the records of a room build on. Every other room builds only on organizations. */
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

/** Imports in the emulator from a higher layer, or from a room that is not below. Imports of types count. */
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
  const [folder, room] = from.split('/') as [string, string];
  const [targetFolder, targetRoom] = target.split('/') as [string, string];
  if (folder === 'rooms' && targetFolder === 'rooms')
    return (
      room === targetRoom ||
      (roomsBelow[room] ?? ['organizations']).includes(targetRoom) ||
      (isRoutes(from) && isRecords(target))
    );
  const targetFloor = floorOf(target);
  return targetFloor >= 0 && targetFloor <= floorOf(from);
}

const isRoutes = (path: string): boolean => /\broutes\.ts$/.test(path);
/** Routes, controls, seeds and facts use records. Every other file of a room belongs to them. */
const isRecords = (path: string): boolean => !/\b(?:routes|controls|seed|facts)\.ts$/.test(path);

const floorOf = (path: string): number => floors.findIndex((floor) => `${path}/`.startsWith(`${floor}/`));

/** Files of the emulator that belong to no layer. */
export const homeless = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => path.startsWith(home))
    .filter((path) => {
      const inside = path.slice(home.length);
      return floorOf(inside) < 0 && !roof.includes(inside);
    })
    .map(
      (path) =>
        `${path}: belongs into one of the emulator's folders ${floors.filter((floor) => !/[./]/.test(floor)).join(', ')}`,
    );
