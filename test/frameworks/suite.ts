import { afterAll, afterEach, beforeAll, test } from 'vitest';
import { application } from './application.js';
import { assertionsOf } from './assertions.js';
import type { Framework } from './frameworks.js';
import { runScript } from './scripts.js';
import { openStage, type Stage } from './stage.js';

/** Milliseconds for one assertion on a busy machine. */
const patience = 300_000;

/**
 * The suite of a framework, for `requires`: builds and starts its application once, and runs the assertions.
 *
 * @param assertions The assertions to run.
 */
export const suiteOf =
  (framework: Framework, assertions = assertionsOf(framework)) =>
  (): void => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(framework);
    }, 2 * patience);
    afterAll(() => stage?.close());
    afterEach(() => stage?.emulator.faults.clear());

    const { typecheck } = framework;
    if (typecheck)
      test(
        'passes its own type check',
        async () => runScript(framework, await application(framework), typecheck),
        patience,
      );

    for (const { title, holds } of assertions) test(title, () => holds(stage), patience);
  };
