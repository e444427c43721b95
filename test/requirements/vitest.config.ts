import { defineConfig } from 'vitest/config';

// Run by requirements.test.ts only: three suites, one of which can never have what it needs.
export default defineConfig({ test: { include: ['test/requirements/suites.ts'] } });
