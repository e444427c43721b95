import { tasks } from './tasks.js';

export default {
  e2e: {
    baseUrl: 'http://localhost:3000',
    supportFile: 'support.js',
    specPattern: '*.cy.js',
    setupNodeEvents(on) {
      on('task', tasks);
    },
  },
};
