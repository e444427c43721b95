import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @type {import('next').NextConfig} */
export default {
  // The folder above has a lock file of its own.
  turbopack: { root: dirname(fileURLToPath(import.meta.url)) },
  devIndicators: false,
};
