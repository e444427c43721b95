// Everything `import ... from 'sallyport/stores'` gives.

export { createStore } from './create-store.js';
export { type MemoryStoreOptions, memoryStore } from './memory.js';
export type { Store, StoreOperations } from './store.js';
