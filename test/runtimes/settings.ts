/** Settings of a program on a runtime, written into it when it is bundled. */
export interface Settings {
  /** Credentials and address of the service. */
  readonly service: { readonly apiKey: string; readonly clientId: string; readonly baseUrl: string };
  /** Password of the session's cookie. */
  readonly password: string;
  /** An address without a server. */
  readonly nobody: string;
  /** `Cookie` header of Ada's session, sealed on the Node of the tests. */
  readonly sealedElsewhere: string;
  /** Organizations there are, by their names. */
  readonly organizations: readonly string[];
}

/** A user with a small session. */
export const ada = 'ada@acme.test';
/** A user whose session does not fit into one cookie. */
export const grace = 'grace@acme.test';
