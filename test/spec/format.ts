/**
 * How the specification of the service is written down in this folder.
 *
 * The files in this folder are a transcription of the service's specification, kept by hand. They are never generated
 * from `src/service`: the parity tests compare the two, and a comparison says something only while they are independent.
 * Where the specification is silent and the project decided, the line names the decision (`D-40`).
 */

/** One row of the specification, typed in by hand. */
export interface SpecifiedOperation {
  /** Room and operation, e.g. `organizations.list`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Whole path with named parameters, e.g. `/user_management/users/:id`. */
  readonly path: string;
  /** The client's documented method, e.g. `userManagement.getUser`. */
  readonly client: string;
  /** `true`: limit, order, before and after apply. `cursor`: only limit and after do. */
  readonly list: boolean | 'cursor';
  /** Wire names of the query parameters, without the list parameters. */
  readonly query: readonly string[];
  /**
   * Wire names of the body's fields, null when no body is sent. A nested field stands as its whole path and its parents
   * are not repeated: `event.actor.id`, `domain_data[].domain`, and `[].type` for a body that is a bare array. Maps
   * whose keys belong to the caller (metadata, meta, relations, JSON schemas) are one field.
   */
  readonly body: readonly string[] | null;
  readonly returns: SpecifiedReturn;
  readonly auth: 'api_key' | 'client_secret' | 'access_token' | 'none';
  /** Success status: as the specification states it, and as the public service answers today. */
  readonly status: { readonly spec: number; readonly public: number };
  readonly deprecated?: boolean;
  readonly earlier?: boolean;
}

/** What an operation answers; `resource` is a key of `resources`. */
export type SpecifiedReturn =
  /** `one` object, a `list` with cursors, a bare `array`, or `data`: an object with a data array and no cursors. */
  | { readonly kind: 'one' | 'list' | 'array' | 'data'; readonly resource: string }
  /** Nothing a caller reads. */
  | { readonly kind: 'empty' }
  /** An address built locally; no request is made. */
  | { readonly kind: 'url' };

/**
 * Wire name of each field and a word for its type.
 *
 * Words: `string`, `boolean`, `integer`, `timestamp`, `string[]`; `labels` (object of string to string); `object` (a map
 * whose keys are not the service's); the name of another resource, or of an array of it (`organization_domain[]`).
 * Endings, in this order: `?` the field may be absent; `|null` it may be null.
 */
export type SpecifiedResource = Readonly<Record<string, string>>;
