import { afterAll, beforeAll, describe, test } from 'vitest';
import { application } from './application.js';
import { assertionsOf } from './assertions.js';
import type { Framework } from './frameworks.js';
import { runScript } from './scripts.js';
import { openStage, type Stage } from './stage.js';

/** The suite of a framework, for `requires`: builds and starts its application once, and makes the assertions of it. */
export const suiteOf = (framework: Framework) => (): void => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(framework);
  });
  afterAll(() => stage?.close());

  const { typecheck } = framework;
  if (typecheck)
    test(
      'passes its own type check',
      async () => runScript(framework, await application(framework), typecheck),
      120_000,
    );

  for (const [subject, { title, holds }] of assertionsOf(framework))
    describe(subject, () => {
      test(title, () => holds(stage));
    });
};
