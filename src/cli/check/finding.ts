/** How the service compares with what this package says about it. */
export type Outcome = 'holds' | 'differs' | 'not offered' | 'not tried';

/** A line of the report. */
export interface Finding {
  /** What this package says about the service. */
  readonly says: string;
  readonly happened: string;
  readonly outcome: Outcome;
}

/** Thrown by a probe that cannot compare anything, with the reason. */
export class NotTried extends Error {}

/** A probe of one statement. */
export interface Probe {
  readonly says: string;
  /** @throws {NotTried} The statement cannot be compared. */
  run(): Promise<Omit<Finding, 'says'>>;
}

/** The outcome of a comparison. */
export const compared = (isAsSaid: boolean, happened: string): Omit<Finding, 'says'> => ({
  happened,
  outcome: isAsSaid ? 'holds' : 'differs',
});
