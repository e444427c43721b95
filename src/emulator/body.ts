// Entry point of dist/emulator-body.cjs, which is shared by the ESM and CommonJS builds of the emulator and by the command line.

export * as commandLine from './command-line.js';
export * from './index.js';
