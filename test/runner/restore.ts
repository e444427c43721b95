import { afterEach, vi } from 'vitest';

// Test files share a process, so none may leave a fake timer, a spy or a changed variable to the next one.
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
