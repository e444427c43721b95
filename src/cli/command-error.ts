/** An error to show to the user. Its message also says what to do. */
export class CommandError extends Error {}
