import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // In development, `npm start` in another terminal serves the API.
  server: { proxy: { '/api': `http://localhost:${process.env.PORT ?? 3000}` } },
});
