import { ref } from '../../../service/describe/define.js';
import { didYouMean } from '../../../service/describe/nearest.js';
import { del, post } from '../../../service/describe/operation.js';
import { operations } from '../../../service/operations.js';
import { control } from '../../server/control.js';
import { anyOperation, type PlannedFailure, plannedAnswers, plannedFailure } from '../../server/planned-answers.js';
import { unprocessableField } from '../../world/refusal.js';

/** What goes wrong at the service itself. */
export const failureControls = {
  /**
   * Have the next answers of an operation fail: with a status, late, or never. Names the operation by its id in `docs/operations.md`,
   * such as `organizations.create`; `*` stands for all of them. Several calls plan several failures, one after the other; `reset`
   * forgets them.
   *
   * @example
   * await emulator.failNext('organizations.list', { status: 429, retryAfterSeconds: 0, times: 2 });
   * await sallyport.organizations.listOrganizations().withResponse(); // attempts: 3
   *
   * @throws {Refusal} 422 for an unknown operation, or a failure that contradicts itself.
   */
  failNext: control(
    post('/_emulator/failures/:operation', { body: ref<PlannedFailure>(plannedFailure) }),
    ({ world }, operation, failure: PlannedFailure = {}) => {
      if (operation !== anyOperation && !Object.hasOwn(operations, operation))
        throw unprocessableField(
          'operation',
          'invalid_value',
          `must be the id of an operation, such as organizations.create, or *${didYouMean(operation, Object.keys(operations))}`,
        );
      world.of(plannedAnswers).plan(operation, failure);
    },
  ),
  /** Forget the failures that are planned; answers that are held back already stay so. */
  clearFailures: control(del('/_emulator/failures', {}), ({ world }) => world.of(plannedAnswers).clear()),
};
