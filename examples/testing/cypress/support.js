// A world for each test. The application under test has the credentials of the world: pass the same apiKey and clientId to both.
beforeEach(() => {
  cy.task('world:begin', Cypress.env('world') ?? {});
});
afterEach(() => {
  cy.task('world:end');
});

// Signs somebody in without a page: the browser gets the cookie that the application would have set.
Cypress.Commands.add('signInAs', (user, options = {}) => {
  cy.task('world:signInAs', { user, ...options }).then((cookies) => {
    for (const { name, value, attributes } of cookies) cy.setCookie(name, value, attributes);
  });
});
