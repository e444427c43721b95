// Everything `import ... from 'sallyport/streams'` gives.

export { type EventSelection, type EventsClient, latest } from './latest.js';
export { type EventHandler, type EventHandlers, on } from './registry.js';
