import type { ResourceCreate, WarrantCheck, WarrantSubject, WarrantWrite } from '../service/fga.js';
import { orEmpty } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/options.js';

// Callers name a resource as a thing of its own, `resource: { resourceType, resourceId }`; the service takes its two parts
// side by side. The one is made into the other here.

/** A resource by its type and your id for it. */
export interface ResourceId {
  readonly resourceType: string;
  readonly resourceId: string;
}

/** A resource to create. */
export interface NewResource {
  readonly resource: {
    readonly resourceType: string;
    /** Made up by the service when left out. */
    readonly resourceId?: string | undefined;
  };
  /** What you want to note about it; keys are never renamed. */
  readonly meta?: Record<string, unknown> | undefined;
}

/** Resources to create or delete at once, at most 100. */
export type ResourceBatchInput =
  | { readonly op: 'create'; readonly resources: readonly NewResource[] }
  | { readonly op: 'delete'; readonly resources: readonly ResourceId[] };

/** A relation that a subject has, gets or loses. */
export interface Relationship {
  /** What it is about. */
  readonly resource: ResourceId;
  /** The relation, `editor`. */
  readonly relation: string;
  /** Who has it. With a `relation` of its own: everybody who has that relation to the subject. */
  readonly subject: WarrantSubject;
}

/** A warrant to write. */
export interface WarrantWriteInput extends Relationship {
  /** Default `create`. */
  readonly op?: 'create' | 'delete' | undefined;
}

/** A question: does a subject have a relation to a resource? */
export interface CheckInput extends Relationship {
  /**
   * What the policies of warrants may look at; keys are never renamed. Policies themselves are outside of this package: it
   * writes no warrant that has one, and the emulator refuses them and answers as without a context.
   */
  readonly context?: Record<string, unknown> | undefined;
}

/** Options of the reads that can wait for a write to be visible. */
export interface WarrantReadOptions extends RequestOptions {
  /**
   * From the answer to a write: the read then sees at least that write. With `latest` it sees everything; without a token
   * it may see what was true a moment ago.
   */
  readonly warrantToken?: string | undefined;
}

/** Entries one by one; anything but a list is passed on as it is, to be refused by name. */
export const each = <T extends object, U>(entries: readonly T[], write: (entry: T) => U): U[] =>
  // Callers without a type checker may pass anything.
  Array.isArray(entries) ? entries.map((entry) => write(orEmpty(entry))) : (entries as unknown as U[]);

/** A resource's path parameters. */
export function idOf(resource: ResourceId): ResourceId {
  const { resourceType, resourceId } = orEmpty(resource);
  return { resourceType, resourceId };
}

/** A new resource in the form of the service. */
export function newResourceOf({ resource, ...rest }: NewResource): ResourceCreate {
  const { resourceType, resourceId } = orEmpty(resource);
  return { ...rest, resourceType, resourceId };
}

/** A warrant in the form of the service; `op` is always said. */
export const writeOf = ({ op = 'create', resource, ...rest }: WarrantWriteInput): WarrantWrite => ({
  ...rest,
  op,
  ...idOf(resource),
});

/** A check in the form of the service. */
export const checkOf = ({ resource, ...rest }: CheckInput): WarrantCheck => ({ ...rest, ...idOf(resource) });

/** Options with the token of a write as the header it travels in. */
export function afterWrite(options: WarrantReadOptions = {}): RequestOptions {
  const { warrantToken, ...rest } = options;
  return warrantToken === undefined ? rest : { ...rest, headers: { ...rest.headers, 'Warrant-Token': warrantToken } };
}
