describe('the account', () => {
  it('is shown to a signed-in user', () => {
    cy.signInAs('user_ada');
    cy.visit('/account');
    cy.contains('ada@acme.test');
  });
});
