/** The route that gives pages their access token. */
export interface AccessTokenRoute {
  /** The path, such as `/session/token`. */
  readonly path: string;
  /** Also give the token to a member of your staff who impersonates the user; default false. */
  readonly impersonators?: boolean | undefined;
}

/** The default path of the sign-in. */
export const signInPath = '/sign-in';

/** The paths that sessions handle themselves. */
export interface SessionRoutes {
  /**
   * Starts a sign-in, and returns to the path in the `return_to` query parameter; default `/sign-in`. With `max_age` in the query,
   * a signed-in user authenticates again. With `prompt=login`, the service asks for the user, who may choose another account.
   */
  readonly signIn?: string | undefined;
  /** Starts a sign-in at the page where new users sign up; default `/sign-up`. It takes the same query parameters. */
  readonly signUp?: string | undefined;
  /** Ends the session, only for POST; default `/sign-out`. */
  readonly signOut?: string | undefined;
  /** Receives users who return from the service; default: the path of the redirect URI for the host. Invitation links also redirect here. */
  readonly callback?: string | undefined;
  /**
   * Gives pages of this site their session as JSON by GET, without `claims`, for `refreshFrom` of `sallyport/react` and
   * `sallyport/browser`; default: no route. It answers 401 if the user is not signed in, and 503 if the session cannot be checked. It
   * does not count as activity of the user for `limits.idleMs`.
   */
  readonly session?: string | undefined;
  /**
   * Gives pages of this site their access token by POST, for `useAccessToken` of `sallyport/react` and `createServerSession` of
   * `sallyport/browser`; default: no route, also with `true`. A script that an attacker gets into a page can then read access tokens.
   */
  readonly accessToken?: string | AccessTokenRoute | undefined;
  /** Target after a sign-out: a URL that is registered with the service; default: the home page. */
  readonly afterSignOut?: string | undefined;
}
