/** Environment variables and state file of a world, for the console. */
export interface WorldUsage {
  /** The application's environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The state file of the world; undefined if it is in memory only. */
  readonly stateFile: string | undefined;
}
