import type { Check, CheckBatch, CheckResult, WarrantCheck } from '../../../service/fga.js';
import { type RequestProblem, unprocessable, unprocessableField } from '../../world/refusal.js';
import type { View } from '../../world/view.js';
import type { World } from '../../world/world.js';
import { type Decision, evaluate, type Facts } from './engine.js';
import type { Relationship } from './names.js';
import { objectionsToNames } from './resource-types.js';
import { type Moment, warrantTokenAt } from './warrant-tokens.js';
import { factsOf } from './warrants.js';

/** Whether a subject has a relation to a resource, and how that came about. */
export interface AccessAnswer {
  readonly authorized: boolean;
  readonly isImplicit: boolean;
  readonly path: readonly Relationship[];
  /** How many relations were asked on the way. */
  readonly steps: number;
  readonly decisions: () => Decision;
}

/** The answer to one question. Warrants are asked first: an answer is implicit only if they do not lead to it alone. */
export function answerTo(facts: Facts, question: Relationship): AccessAnswer {
  const explicit = evaluate(facts, question, 'explicit');
  const verdict = explicit.holds ? explicit : evaluate(facts, question, 'everything');
  return {
    authorized: verdict.holds,
    isImplicit: verdict !== explicit && verdict.holds,
    path: verdict.path,
    steps: explicit.steps + (verdict === explicit ? 0 : verdict.steps),
    decisions: verdict.decisions,
  };
}

function refuseUnknownNames(world: World, checks: readonly WarrantCheck[]): void {
  const errors: RequestProblem[] = checks.flatMap(({ resourceType, relation, subject }, at) => [
    ...objectionsToNames(
      world,
      { type: resourceType, relation },
      { type: `checks.${at}.resource_type`, relation: `checks.${at}.relation` },
    ),
    ...objectionsToNames(
      world,
      { type: subject.resourceType, relation: subject.relation },
      { type: `checks.${at}.subject.resource_type`, relation: `checks.${at}.subject.relation` },
    ),
  ]);
  if (checks.length === 0) errors.push({ field: 'checks', code: 'required', message: 'must have at least one entry' });
  if (errors.length > 0) throw unprocessable(errors);
}

/** The most relations that the checks of a request may ask on the way, without the last check. */
const maxSteps = 100_000;

/** Answers checks one after the other. */
class Answers {
  readonly #facts: Facts;
  #steps = 0;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** Answer the next check. @throws {Refusal} 422 if the checks before it took too long. */
  next(check: WarrantCheck): AccessAnswer {
    if (this.#steps > maxSteps)
      throw unprocessableField(
        'checks',
        'out_of_range',
        `must ask at most ${maxSteps} relations together. Send fewer checks in a request`,
      );
    const answer = answerTo(this.#facts, check);
    this.#steps += answer.steps;
    return answer;
  }
}

/** One answer to checks that are to hold together, or of which one is to hold. @throws {Refusal} 422. */
export function checkAccess(world: World, { op, checks, debug }: Check, moment: Moment): View<CheckResult> {
  refuseUnknownNames(world, checks);
  if (op === undefined && checks.length > 1)
    throw unprocessableField('op', 'required', 'must say all_of or any_of when there are several checks, or batch');
  const all = new Answers(factsOf(world, moment));
  const answers: AccessAnswer[] = [];
  // No further than to the check that decides.
  for (const check of checks) {
    const answer = all.next(check);
    answers.push(answer);
    if (answer.authorized === (op === 'any_of')) break;
  }
  const authorized = op === 'any_of' ? answers.at(-1)!.authorized : answers.every((answer) => answer.authorized);
  return resultOf(world, checks, {
    authorized,
    isImplicit: authorized && answers.some(({ isImplicit }) => isImplicit),
    trees: debug ? answers : [],
    moment,
  });
}

/** An answer to each check. @throws {Refusal} 422. */
export function checkEachAccess(
  world: World,
  { checks, debug }: CheckBatch,
  moment: Moment,
): readonly View<CheckResult>[] {
  refuseUnknownNames(world, checks);
  const all = new Answers(factsOf(world, moment));
  return checks.map((check) => {
    const answer = all.next(check);
    return resultOf(world, [check], { ...answer, trees: debug ? [answer] : [], moment });
  });
}

function resultOf(
  world: World,
  checks: readonly WarrantCheck[],
  {
    authorized,
    isImplicit,
    trees,
    moment,
  }: {
    readonly authorized: boolean;
    readonly isImplicit: boolean;
    readonly trees: readonly AccessAnswer[];
    readonly moment: Moment;
  },
): View<CheckResult> {
  const decisionTrees = trees.map(({ decisions }, at) => decisionTree(decisions(), checks[at]!));
  return {
    result: authorized ? 'authorized' : 'not_authorized',
    isImplicit,
    warrantToken: warrantTokenAt(world, moment),
    ...(decisionTrees.length > 0 && {
      debugInfo: decisionTrees.length === 1 ? { decision_tree: decisionTrees[0] } : { decision_trees: decisionTrees },
    }),
  };
}

/** How an answer came about, in wire names. Times are left out: the emulator's clock stands still while it answers. */
function decisionTree({ resourceType, resourceId, relation, holds, from }: Decision, check: WarrantCheck): object {
  const { subject } = check;
  return {
    check: {
      resource_type: resourceType,
      resource_id: resourceId,
      relation,
      subject: {
        resource_type: subject.resourceType,
        resource_id: subject.resourceId,
        ...(subject.relation && { relation: subject.relation }),
      },
    },
    decision: holds ? 'matched' : 'not_matched',
    children: from.map((decision) => decisionTree(decision, check)),
  };
}
