import { ref } from '../../../service/describe/define.js';
import { data, del, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import {
  type ActiveFault,
  activeFault,
  answerFailure,
  type Fault,
  fault,
  type PlannedFailure,
} from '../../server/fault.js';
import { faults } from '../../server/faults.js';
import { notFound } from '../../world/refusal.js';

export const failureControls = {
  /**
   * Make the next answers of an operation fail: with a status, late, broken, or never. Name the operation by its id in
   * `docs/operations.md`, `organizations.create`, or by the method of the client, `organizations.createOrganization`; `*` stands for all
   * operations. Several calls plan several failures, one after the other; `reset` forgets them. `faults.add` does the same for more than
   * the next answers of one operation.
   *
   * @example
   * await emulator.failNext('organizations.listOrganizations', { status: 429, retryAfterSeconds: 0, times: 2 });
   * await sallyport.organizations.listOrganizations().withResponse(); // attempts: 3
   *
   * @throws {Refusal} 422 for an unknown operation, or a failure that contradicts itself.
   */
  failNext: control(
    post('/_emulator/failures/:operation', { body: ref<PlannedFailure>(answerFailure) }),
    ({ world }, operation, failure: PlannedFailure = {}) => {
      world.of(faults).add({ times: 1, ...failure, operation });
    },
  ),
};

/** What goes wrong on purpose: answers that fail, are late or broken, events and webhooks that come late, twice or out of order. */
export const faultControls = {
  /**
   * Have something go wrong until it has happened `times` times, is removed, or the emulator is reset. Where several faults fit, the first
   * one given happens.
   *
   * @example
   * await emulator.faults.add({ path: '/organizations/*', share: 0.25, status: 503 });
   * await emulator.faults.add({ of: 'events', event: 'dsync.user.updated', delay: '5s', share: 0.5 });
   *
   * @throws {Refusal} 422 for an unknown operation, or a fault that contradicts itself.
   */
  add: control(
    post('/_emulator/faults', { body: ref<Fault>(fault), returns: ref<ActiveFault>(activeFault) }),
    ({ world }, one: Fault) => world.of(faults).add(one),
  ),
  /** List the faults under way, the first one given first. */
  list: lookup(
    data('/_emulator/faults', { returns: ref<ActiveFault>(activeFault) }),
    ({ world }) => world.of(faults).list,
  ),
  /**
   * End a fault; answers that are held back already stay so.
   *
   * @throws {Refusal} 404 for a fault that is not, or no longer, under way.
   */
  remove: control(del('/_emulator/faults/:id', {}), ({ world }, id) => {
    if (!world.of(faults).remove(id)) throw notFound('fault', id);
  }),
  /** End all faults; answers that are held back already stay so. */
  clear: control(del('/_emulator/faults', {}), ({ world }) => world.of(faults).clear()),
};

/** What goes wrong on purpose. */
export interface FaultControls extends Methods<typeof faultControls> {}
