/** How an application uses a world, for whoever looks at it. */
export interface WorldUsage {
  /** The variables that it reads. */
  readonly env: Readonly<Record<string, string>>;
  /** The file in which the world is remembered; undefined where it is not. */
  readonly stateFile: string | undefined;
}
