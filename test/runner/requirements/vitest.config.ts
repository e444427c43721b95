import { defineConfig } from 'vitest/config';

// Run by requirements.test.ts only: three suites, and one of them needs a program that does not exist.
export default defineConfig({ test: { include: ['test/runner/requirements/suites.ts'] } });
