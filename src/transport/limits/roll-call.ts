/** How often a call shows that it is alive, in milliseconds. */
const beatMs = 500;

interface Member {
  /** The last round in which the call was seen, and how often. */
  round: number;
  seen: number;
  readonly isGone: () => void;
}

/**
 * Finds calls that have ended without a word. Some runtimes, such as workerd, end a request together with everything that it began: its
 * promises never settle and its timers never fire.
 *
 * Every call sets a timer. A call is gone if another was seen several times while it was not seen once. This compares timers with
 * timers, because after a long computation all of them are late.
 */
export class RollCall {
  readonly #members = new Set<Member>();
  #round = 0;

  /**
   * Add a call. Returns a function that removes it.
   *
   * @param isAlive Called every 500 ms while the call lives, in its own request.
   * @param isGone Called in the request of another call, which found it gone.
   */
  join(isAlive: () => void, isGone: () => void): () => void {
    const member = { round: this.#round, seen: 0, isGone };
    this.#members.add(member);
    const timer = setInterval(() => {
      this.#see(member);
      isAlive();
    }, beatMs);
    return () => {
      clearInterval(timer);
      this.#members.delete(member);
    };
  }

  /** A call that was seen three times in a round ends it. */
  #see(member: Member): void {
    if (member.round !== this.#round) {
      member.round = this.#round;
      member.seen = 0;
    }
    member.seen += 1;
    if (member.seen < 3) return;
    for (const other of this.#members)
      if (other.round !== this.#round) {
        this.#members.delete(other);
        other.isGone();
      }
    this.#round += 1;
  }
}
