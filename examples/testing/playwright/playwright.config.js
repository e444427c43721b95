import { defineConfig } from '@playwright/test';
import { adminKey, password } from './secrets.js';

const { PORT = '3000', EMULATOR_PORT = '4100', CHROMIUM } = process.env;

export default defineConfig({
  workers: 10,
  fullyParallel: true,
  reporter: 'list',
  // Ten browsers at once are slow to start on a small machine.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    // Use an installed Chromium instead of the one that Playwright downloads.
    ...(CHROMIUM && { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } }),
  },
  webServer: [
    {
      command: `npx sallyport emulator --dialect workos --port ${EMULATOR_PORT} --admin-key ${adminKey} --quiet`,
      url: `http://localhost:${EMULATOR_PORT}/health`,
    },
    {
      command: 'node app.js',
      url: `http://localhost:${PORT}/health`,
      env: {
        PORT,
        SALLYPORT_BASE_URL: `http://localhost:${EMULATOR_PORT}`,
        SALLYPORT_COOKIE_PASSWORD: password,
      },
    },
  ],
});
