/** An error of the command line whose message is printed as it is. The message says what to do. */
export class Refusal extends Error {}
