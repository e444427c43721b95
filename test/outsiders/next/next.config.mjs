import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @type {import('next').NextConfig} */
export default {
  // The folder above also has a lock file.
  turbopack: { root: dirname(fileURLToPath(import.meta.url)) },
  devIndicators: false,
};
