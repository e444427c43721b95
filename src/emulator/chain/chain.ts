import { Answer } from '../http/answer.js';
import { admitPage, allowHost, answerPreflight, matchPath, worldOfAddress } from './admit.js';
import type { Admitted, Around, Arrival, Call, Check, Find, Located } from './context.js';
import { allowPage, authorize, matchMethod, worldOfKey } from './locate.js';
import { applyFault, limit, repeat, run } from './perform.js';
import { actAs, allowReading, chooseEndpoint, parse, readBody, refuseFields, worldOfRequest } from './read.js';

/** Steps that run in order. They add what they find to the record of a request, which has all of it at the end. */
class Phase<In extends object, Out extends object = In> {
  constructor(readonly steps: readonly Find<never, unknown>[] = []) {}

  /** Add a step that refuses or answers some requests. */
  check(step: Check<Out>): Phase<In, Out> {
    return new Phase([...this.steps, step]);
  }

  /** Add a step that finds what later steps need. */
  find<Found extends object>(step: Find<Out, Found>): Phase<In, Out & Found> {
    return new Phase([...this.steps, step]);
  }

  /** Add the steps of a phase that starts with the record of this one. */
  before<Next extends object>(phase: Phase<Out, Next>): Phase<In, Next> {
    return new Phase([...this.steps, ...phase.steps]);
  }

  /** Run the steps until one of them answers. */
  async pass(record: In): Promise<Out | Answer> {
    for (const step of this.steps) {
      // The methods above accept only steps whose needs the steps before them have found.
      const result = step(record as never);
      // Waiting for steps that do not wait would give a reset the time to replace the memory.
      const found = result instanceof Promise ? await result : result;
      if (found instanceof Answer) return found;
      Object.assign(record, found);
    }
    return record as unknown as Out;
  }
}

/** May the sender reach the emulator? */
const admit: Phase<Arrival, Admitted> = new Phase<Arrival>()
  .check(allowHost)
  .find(matchPath)
  .find(admitPage)
  .find(worldOfAddress)
  .check(answerPreflight);

/** Which endpoints is the request for, and may its key use them? */
const locate: Phase<Admitted, Located> = new Phase<Admitted>()
  .find(matchMethod)
  .check(allowPage)
  .find(worldOfKey)
  .find(authorize);

/** What does it say, and which world answers it? A key names the world, which limits the body; without a key, the body may name it. */
const read: Phase<Located, Call> = new Phase<Located>()
  .find(readBody)
  .find(parse)
  .find(worldOfRequest)
  .find(allowReading)
  .check(refuseFields)
  .find(chooseEndpoint)
  .find(actAs);

/** Each step also sees the answer of those after it. */
const perform: readonly Around[] = [limit, applyFault, repeat, run];

/** What happens to a request, in order: four phases and their steps. */
export const chain = { admit, locate, read, perform };

const prepare = admit.before(locate).before(read);

/** Pass a request through the chain. Rejects with what a step has thrown. */
export async function pass(arrival: Arrival): Promise<Answer> {
  const call = await prepare.pass(arrival);
  if (call instanceof Answer) return call;
  const from = (at: number): Promise<Answer> => perform[at]!(call, () => from(at + 1));
  return from(0);
}
