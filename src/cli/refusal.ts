/** What the command line cannot do, with what to do about it; printed as it is. */
export class Refusal extends Error {}
