import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { application } from './application.js';
import { signingIn } from './assertions/signing-in.js';
import type { Assertion } from './assertions.js';
import type { Framework } from './frameworks.js';
import { runScript } from './scripts.js';
import { openStage, type Stage } from './stage.js';

/** The assertions, by subject. */
export const subjects: Readonly<Record<string, readonly Assertion[]>> = {
  'Signing in': signingIn,
};

/** Those that are made of a framework, with the subject of each. */
export const assertionsOf = ({ suite, without = {} }: Framework): readonly (readonly [string, Assertion])[] =>
  Object.entries(subjects).flatMap(([subject, assertions]) =>
    assertions
      .filter((one) => (suite === 'full' || one.of === 'all') && !(one.title in without))
      .map((one) => [subject, one] as const),
  );

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

  test('is asked to hold nothing less than it can', () => {
    const titles = Object.values(subjects).flatMap((all) => all.map(({ title }) => title));
    expect(Object.keys(framework.without ?? {}).filter((title) => !titles.includes(title))).toEqual([]);
  });

  for (const [subject, { title, holds }] of assertionsOf(framework))
    describe(subject, () => {
      test(title, () => holds(stage));
    });
};
