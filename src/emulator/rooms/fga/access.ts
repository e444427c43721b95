import type { Check, CheckBatch, CheckResult, WarrantCheck } from '../../../service/fga.js';
import { type RequestProblem, unprocessable, unprocessableField } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { type Decision, evaluate, type Scope, type WarrantReader } from './engine.js';
import type { Relationship } from './names.js';
import { unknownNameProblems } from './resource-types.js';
import { warrantToken } from './warrant-tokens.js';
import { warrantReaderOf } from './warrants.js';

/** Whether a subject has a relation to a resource, and why. */
interface AccessAnswer {
  readonly authorized: boolean;
  readonly isImplicit: boolean;
  readonly path: readonly Relationship[];
  /** Number of relations evaluated. */
  readonly steps: number;
  readonly decisions: () => Decision;
}

/** Answer one question. Tries the warrants first: an answer is implicit only if it needs the rules of the schema. */
export function answerTo(reader: WarrantReader, question: Relationship, scope: Scope = 'everything'): AccessAnswer {
  const explicit = evaluate(reader, question, 'explicit');
  const verdict = explicit.isSatisfied || scope === 'explicit' ? explicit : evaluate(reader, question, scope);
  return {
    authorized: verdict.isSatisfied,
    isImplicit: verdict !== explicit && verdict.isSatisfied,
    path: verdict.path,
    steps: explicit.steps + (verdict === explicit ? 0 : verdict.steps),
    decisions: verdict.decisions,
  };
}

function refuseUnknownNames(memory: Memory, checks: readonly WarrantCheck[]): void {
  const errors: RequestProblem[] = checks.flatMap(({ resourceType, relation, subject }, at) => [
    ...unknownNameProblems(
      memory,
      { type: resourceType, relation },
      { type: `checks.${at}.resource_type`, relation: `checks.${at}.relation` },
    ),
    ...unknownNameProblems(
      memory,
      { type: subject.resourceType, relation: subject.relation },
      { type: `checks.${at}.subject.resource_type`, relation: `checks.${at}.subject.relation` },
    ),
  ]);
  if (checks.length === 0) errors.push({ field: 'checks', code: 'required', message: 'must have at least one entry' });
  if (errors.length > 0) throw unprocessable(errors);
}

/** Maximum number of relations that a request may evaluate before its last check. */
const maxSteps = 100_000;

/** Answers the checks of a request in order, within its limit of steps. */
class Answers {
  readonly #reader: WarrantReader;
  #steps = 0;

  constructor(reader: WarrantReader) {
    this.#reader = reader;
  }

  /** Answer the next check. @throws {EmulatorRefusal} 422 if the checks before it took too many steps. */
  next(check: WarrantCheck): AccessAnswer {
    if (this.#steps > maxSteps)
      throw unprocessableField(
        'checks',
        'out_of_range',
        `must take at most ${maxSteps} steps in total. Send fewer checks per request`,
      );
    const answer = answerTo(this.#reader, check);
    this.#steps += answer.steps;
    return answer;
  }
}

/** Combine several checks into one answer, with `all_of` or `any_of`. @throws {EmulatorRefusal} 422. */
export function checkAccess(memory: Memory, { op, checks, debug }: Check): View<CheckResult> {
  refuseUnknownNames(memory, checks);
  if (op === undefined && checks.length > 1)
    throw unprocessableField('op', 'required', 'must be all_of, any_of or batch if there are several checks');
  const evaluator = new Answers(warrantReaderOf(memory));
  const answers: AccessAnswer[] = [];
  // Stop at the check that decides the answer.
  for (const check of checks) {
    const answer = evaluator.next(check);
    answers.push(answer);
    if (answer.authorized === (op === 'any_of')) break;
  }
  const authorized = op === 'any_of' ? answers.at(-1)!.authorized : answers.every((answer) => answer.authorized);
  return resultOf(memory, checks, {
    authorized,
    isImplicit: authorized && answers.some(({ isImplicit }) => isImplicit),
    trees: debug ? answers : [],
  });
}

/** Answer each check. @throws {EmulatorRefusal} 422. */
export function checkEachAccess(memory: Memory, { checks, debug }: CheckBatch): readonly View<CheckResult>[] {
  refuseUnknownNames(memory, checks);
  const evaluator = new Answers(warrantReaderOf(memory));
  return checks.map((check) => {
    const answer = evaluator.next(check);
    return resultOf(memory, [check], { ...answer, trees: debug ? [answer] : [] });
  });
}

function resultOf(
  memory: Memory,
  checks: readonly WarrantCheck[],
  {
    authorized,
    isImplicit,
    trees,
  }: {
    readonly authorized: boolean;
    readonly isImplicit: boolean;
    readonly trees: readonly AccessAnswer[];
  },
): View<CheckResult> {
  const decisionTrees = trees.map(({ decisions }, at) => decisionTree(decisions(), checks[at]!));
  return {
    result: authorized ? 'authorized' : 'not_authorized',
    isImplicit,
    warrantToken: warrantToken(memory),
    ...(decisionTrees.length > 0 && {
      debugInfo: decisionTrees.length === 1 ? { decision_tree: decisionTrees[0] } : { decision_trees: decisionTrees },
    }),
  };
}

/**
 * Build the decision tree of an answer, with wire names. It contains no durations, because the emulator's clock does not move
 * while it answers.
 */
function decisionTree(
  { resourceType, resourceId, relation, isSatisfied, from }: Decision,
  check: WarrantCheck,
): object {
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
    decision: isSatisfied ? 'matched' : 'not_matched',
    children: from.map((decision) => decisionTree(decision, check)),
  };
}
