import { defineConfig } from 'vitest/config';

// Run only by requirements.test.ts: three suites. One needs a program that does not exist.
export default defineConfig({ test: { include: ['test/runner/requirements/suites.ts'] } });
