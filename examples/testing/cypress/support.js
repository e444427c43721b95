// Creates a world for each test. Pass the same apiKey and clientId to the world and to the application under test.
beforeEach(() => {
  cy.task('world:begin', Cypress.env('world') ?? {});
});
afterEach(() => {
  cy.task('world:end');
});

// Sign a user in without a page. The browser gets the cookie that the application would have set.
Cypress.Commands.add('signInAs', (user, options = {}) => {
  cy.task('world:signInAs', { user, ...options }).then((cookies) => {
    for (const { name, value, attributes } of cookies) cy.setCookie(name, value, attributes);
  });
});
