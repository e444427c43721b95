import type { RemoteWorlds } from '../emulator/index.js';
import { SallyportError } from '../errors/index.js';

type NewWorld = NonNullable<Parameters<RemoteWorlds['create']>[0]>;
export type MadeWorld = Awaited<ReturnType<RemoteWorlds['create']>>;
type Owner = NonNullable<MadeWorld['owner']>;

/** A process of another machine has ended if its world had no request for this long. */
const idleElsewhereMs = 60_000;

/**
 * Create a world that belongs to this process. If an ended process left worlds with its name, API key or client id, they are
 * deleted. A worker that was killed could not delete its world.
 */
export async function createOwned(worlds: RemoteWorlds, options: NewWorld): Promise<MadeWorld> {
  const owner = thisProcess();
  if (!owner) return worlds.create(options);
  for (let replaces: Owner | undefined; ; ) {
    try {
      return await worlds.create({ ...options, owner, replaces });
    } catch (error) {
      const holder = isTaken(error) ? (await worlds.list()).find((world) => isInTheWay(world, options)) : undefined;
      if (!holder?.owner || !hasEnded(holder.owner, owner, holder.idleForMs ?? 0)) throw error;
      replaces = holder.owner;
    }
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof SallyportError && ['name_taken', 'client_id_taken', 'api_key_taken'].includes(error.code);

const isInTheWay = (world: MadeWorld, { name, apiKey, clientId }: NewWorld): boolean =>
  world.name === name || world.apiKey === apiKey || world.clientId === clientId;

/** Whether an owner has ended. On another machine or in another container, only its requests show that it runs. */
function hasEnded(owner: Owner, here: Owner, idleForMs: number): boolean {
  const isHere = owner.host === here.host && owner.system === here.system;
  return isHere ? !isRunning(owner) : idleForMs >= idleElsewhereMs;
}

function isRunning({ pid, start }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const { state, start: found } = statOf(pid) ?? {};
  // A zombie has ended, but its parent has not noticed.
  return state !== 'Z' && (start === null || found === undefined || found === start);
}

/** Describe this process. Undefined in browsers, and on Deno without the permission to read the host name. */
function thisProcess(): Owner | undefined {
  try {
    const host = process.getBuiltinModule('node:os').hostname();
    return { host, pid: process.pid, start: statOf('self')?.start ?? null, system: systemOf() };
  } catch {
    return undefined;
  }
}

/** Read the state and the start time of a process. Undefined on systems other than Linux. */
function statOf(
  pid: number | 'self',
): { readonly state: string | undefined; readonly start: string | undefined } | undefined {
  try {
    const stat = process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name, in parentheses, may contain spaces. The state is the first field after it, and the start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] };
  } catch {
    return undefined;
  }
}

/** Identify the boot and the process namespace on Linux: containers and machines can have equal host names. */
function systemOf(): string | null {
  try {
    const { readFileSync, readlinkSync } = process.getBuiltinModule('node:fs');
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}
