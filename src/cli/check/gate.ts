import { type Dialect, grantTypeOf, type Operation, operations, pathOf } from '../../emulator/command-line.js';
import { type AllowedOperation, reads, writes } from './allowed.js';

/** A request as the gate sees it. */
export interface Passing {
  readonly method: string;
  /** The path below the base URL. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Names of fields and parameters with the id of an object that a request changes, or with the address of a user. */
const idNames = ['id', 'user_id', 'organization_id', 'organization', 'session_id', 'email'];

/**
 * Find the operation of a request, and refuse the request if the check may not send it: if its operation is not on the list, or if it
 * changes an object that this run has not made.
 *
 * @param owns Whether this run has made the object with this id, or may use this address.
 */
export function admit(request: Passing, dialect: Dialect, owns: (id: string) => boolean): AllowedOperation {
  const { method, path, query, body } = request;
  for (const id of [...reads, ...writes]) {
    const operation = operations[id]!;
    const params = matchOf(operation, dialect, request);
    if (!params) continue;
    const ids = [...params, ...idNames.flatMap((name) => body[name] ?? query.get(name) ?? [])];
    const stranger = ids.find((one) => !owns(String(one)));
    if (stranger === undefined || reads.some((one) => one === id)) return id;
    throw new Error(`The check may not call ${id} for an object that it has not made`);
  }
  throw new Error(`The check may not send ${method} ${path}`);
}

/** Return the path parameters of a request, or undefined if it is not one of the operation. */
function matchOf(operation: Operation, dialect: Dialect, { method, path, body }: Passing): string[] | undefined {
  const { grant } = operation.io;
  if (operation.method !== method || (grant && body.grant_type !== grantTypeOf(grant, dialect))) return undefined;
  const names = pathOf(operation, dialect).split('/');
  const parts = path.split('/');
  const isSame = names.length === parts.length && names.every((name, at) => /^:/.test(name) || name === parts[at]);
  return isSame ? parts.filter((_, at) => /^:/.test(names[at]!)).map(decodeURIComponent) : undefined;
}
