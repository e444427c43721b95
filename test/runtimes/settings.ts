/** Settings of a program on a runtime, which are built into it. */
export interface Settings {
  /** Credentials and address of the service. */
  readonly service: { readonly apiKey: string; readonly clientId: string; readonly baseUrl: string };
  /** The cookie password. */
  readonly password: string;
  /** An address without a server. */
  readonly nobody: string;
  /** `Cookie` header of Ada's session, sealed on the Node of the tests. */
  readonly sealedElsewhere: string;
  /** The names of all organizations. */
  readonly organizations: readonly string[];
}

/** A user with a small session. */
export const ada = 'ada@acme.test';
/** A user with a session that is too large for one cookie. */
export const grace = 'grace@acme.test';
